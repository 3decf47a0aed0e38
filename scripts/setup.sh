# shellcheck shell=bash
# Sourced by the scripts beside it: installs what is missing, on Debian and its kin.

# Runs a command as root, directly or through sudo.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "root is needed for: $*" >&2
        exit 1
    fi
}

# need COMMAND PACKAGE: makes sure that the command exists.
need() {
    command -v "$1" >/dev/null && return
    need_package "$2"
}

# need_package PACKAGE: installs it.
need_package() {
    if ! command -v apt-get >/dev/null; then
        echo "$1 is missing: install it, then run this again" >&2
        exit 1
    fi
    echo "installing $1"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1" >/dev/null
}

# Rust builds need a linker.
need_rust() {
    if ! command -v cargo >/dev/null && [ -x "$HOME/.cargo/bin/cargo" ]; then
        PATH=$HOME/.cargo/bin:$PATH
    fi
    if ! command -v cargo >/dev/null; then
        echo "cargo is missing: install Rust 1.95 or later, then run this again" >&2
        exit 1
    fi
    need cc gcc
}
