#!/usr/bin/env python3
"""Writes the wheel of hone_torch: the Python files, the static library and the tool `hone`.

    wheel.py --library=build/lib/libhone-static.so --tool=build/bin/hone-static --version=0.2.0 --out=build/wheel

A wheel is a zip file with a list of its files. The same inputs give the same bytes.
"""

import argparse
import base64
import hashlib
import pathlib
import stat
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
TAG = "py3-none-manylinux_2_36_x86_64"  # the static library needs glibc 2.36

METADATA = """Metadata-Version: 2.1
Name: hone_torch
Version: {version}
Summary: Products of torch models by Hone, inside Inductor
License: Apache-2.0 WITH LLVM-exception
Requires-Python: >=3.11
Requires-Dist: torch>=2.11
"""
WHEEL = f"""Wheel-Version: 1.0
Generator: hone
Root-Is-Purelib: false
Tag: {TAG}
"""
ENTRY_POINTS = """[torch_dynamo_backends]
hone = hone_torch:backend
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", type=pathlib.Path, required=True)
    parser.add_argument("--tool", type=pathlib.Path, help="for hone_torch.tune; a wheel without it has none")
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="a folder")
    parser.add_argument("--level", type=int, default=6, help="of compression; 0 for none")
    args = parser.parse_args()

    files = {f"hone_torch/{path.name}": path.read_bytes() for path in sorted((HERE / "hone_torch").glob("*.py"))}
    files["hone_torch/lib/libhone-static.so"] = args.library.read_bytes()
    if args.tool:
        files["hone_torch/bin/hone"] = args.tool.read_bytes()
    info = f"hone_torch-{args.version}.dist-info"
    files[f"{info}/METADATA"] = METADATA.format(version=args.version).encode()
    files[f"{info}/WHEEL"] = WHEEL.encode()
    files[f"{info}/entry_points.txt"] = ENTRY_POINTS.encode()
    files[f"{info}/licenses/LICENSE"] = (HERE.parent / "LICENSE").read_bytes()

    lines = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}")
    files[f"{info}/RECORD"] = "\n".join([*lines, f"{info}/RECORD,,", ""]).encode()

    args.out.mkdir(parents=True, exist_ok=True)
    path = args.out / f"hone_torch-{args.version}-{TAG}.whl"
    kind = zipfile.ZIP_DEFLATED if args.level else zipfile.ZIP_STORED
    with zipfile.ZipFile(path, "w", kind, compresslevel=args.level) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)  # of 1980, so that the bytes are the same
            entry.external_attr = (stat.S_IFREG | (0o755 if "/bin/" in name else 0o644)) << 16
            archive.writestr(entry, data, compress_type=kind)
    print(path)


if __name__ == "__main__":
    main()
