#!/bin/sh
# Compiles the XDP program into the folder given: build.sh OUTPUT_FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
output=$1
clang=${CLANG:-clang}

if ! command -v "$clang" >/dev/null 2>&1; then
    echo "The XDP program needs clang, which is not installed: apt-get install clang" >&2
    exit 1
fi
if ! [ -f /usr/include/bpf/bpf_helpers.h ]; then
    echo "The XDP program needs bpf/bpf_helpers.h, which is not installed: apt-get install libbpf-dev" >&2
    exit 1
fi
asm=/usr/include/$(uname -m)-linux-gnu
if ! [ -f "$asm/asm/types.h" ]; then
    echo "The XDP program needs $asm/asm/types.h, which is not installed: apt-get install linux-libc-dev" >&2
    exit 1
fi

mkdir -p "$output"
for source in "$here"/*.bpf.c; do
    object=$output/$(basename "$source" .bpf.c).o
    if [ "$object" -nt "$source" ] && [ "$object" -nt "$0" ]; then
        continue
    fi
    "$clang" -O2 -g -Wall -Wextra -Werror -target bpf -mcpu=v3 -I"$asm" -c "$source" -o "$object.new"
    mv "$object.new" "$object"
    echo "Compiled $(basename "$source") for XDP"
done
