# The lit suite: every .mlir, .c, .cpp and .test file under test/, except test/unit, is
# a test. docs/Testing.md lists the substitutions and features defined here.

import ctypes.util
import os
import shutil
import subprocess
import sys

import lit.formats
from lit.llvm import llvm_config

sys.path.append(os.path.join(config.hone_src_root, "test"))
import sanitizers

src, obj = config.hone_src_root, config.hone_obj_root

config.name = "hone"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".c", ".cpp", ".test"]
config.excludes = ["Inputs", "unit", "CMakeLists.txt"]
config.test_source_root = os.path.join(src, "test")
config.test_exec_root = os.path.join(obj, "test")
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --allow-unused-prefixes=false"

# A test never sees the databases and caches of the person who runs it.
config.environment["XDG_CACHE_HOME"] = os.path.join(obj, "test", "cache")
llvm_config.with_system_environment(["HOME", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "GLIBC_TUNABLES"])

# mlir-opt, mlir-runner, FileCheck, not, split-file and count are LLVM 22's; hone-opt and
# hone are ours. All are found by name, ours first.
for directory in (config.llvm_tools_dir, os.path.join(obj, "bin")):
    llvm_config.with_environment("PATH", directory, append_path=True)

library = os.path.join(obj, "lib", "libhone.so")
# `lit -D python=PROGRAM` names the one that has torch or JAX.
python = lit_config.params.get("python", config.python)
flags = f"-I{src}/include -L{obj}/lib -Wl,-rpath,{obj}/lib -Wall -Wextra -Werror {config.hone_sanitize_flags}"
config.substitutions += [
    ("%plugin", f"--load-dialect-plugin={library}"),
    ("%tuner", f"--load-pass-plugin={os.path.join(obj, 'lib', 'libhone_tune.so')}"),
    ("%libhone_rt", os.path.join(obj, "lib", "libhone_rt.so")),
    ("%libhone", library),
    ("%mlir_lib_dir", config.llvm_lib_dir),
    ("%llvm_include", config.llvm_include_dir),
    ("%llvm_prefix", config.llvm_prefix),
    ("%hone_src", src),
    ("%hone_obj", obj),
    ("%cmake", config.cmake_command),
    ("%python", python),
    ("%host_cxx", config.host_cxx),
    ("%host_cc", config.host_cc),
    # Compile one C or C++ test against the tree; name the library to link after it.
    ("%cxx", f"{config.host_cxx} -std=c++17 {flags}"),
    ("%cc", f"{config.host_cc} -std=c11 {flags}"),
]

# ---- Errors of memory -------------------------------------------------------------------
# `lit -D valgrind=1` runs the two programs of pass tests under Valgrind, whatever was built.
# A build with HONE_SANITIZE has a runtime that must come first in a process: our programs
# link it, and a stock mlir-opt that loads libhone.so has it preloaded.


def run_program(name, *words):
    """Puts `words` before every call of `name` in a test."""
    program = llvm_config.use_llvm_tool(name, quiet=True) or name
    config.substitutions.append((rf"(?<![\w./-]){name}(?![\w./-])", " ".join([*words, program])))


if lit_config.params.get("valgrind"):
    config.available_features.add("valgrind")
    for name in ("hone-opt", "mlir-opt"):
        run_program(name, config.python, f"{src}/test/memcheck.py", f"{src}/test/valgrind.supp")

if config.hone_asan_runtime:
    config.available_features.add("sanitize")
    for name in ("mlir-opt", "mlir-runner"):
        run_program(name, "env", f"LD_PRELOAD={config.hone_asan_runtime}")
    sanitizers.add_environment(config.environment, src)

# ---- What this machine has --------------------------------------------------------------
# A test that needs more than is here is reported as unsupported, never as passed.

if config.hone_static in ("ON", "1", "TRUE"):
    config.available_features.add("static")

# `gpu` for any CUDA device, and one feature per architecture (`sm_90`). Tests that need
# the device to themselves join the parallelism group `gpu`.
lit_config.parallelism_groups["gpu"] = 1
if shutil.which("nvidia-smi"):
    query = ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"]
    answer = subprocess.run(query, capture_output=True, text=True, check=False)
    if answer.returncode == 0:
        for capability in answer.stdout.split():
            config.available_features |= {"gpu", "sm_" + capability.replace(".", "")}

places = [os.path.join(os.environ[v], "bin") for v in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(v)]
search = os.pathsep.join([os.environ.get("PATH", ""), *places, "/usr/local/cuda/bin"])
ptxas = shutil.which("ptxas", path=search)
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))

sanitizer = shutil.which("compute-sanitizer", path=search)
if sanitizer:
    config.available_features.add("compute-sanitizer")
    config.substitutions.append(("%compute_sanitizer", sanitizer))

clang_format = shutil.which("clang-format-22", path=search) or shutil.which("clang-format", path=config.llvm_tools_dir)
if clang_format:
    config.available_features.add("clang-format")
    config.substitutions.append(("%clang_format", clang_format))

clang_tidy = shutil.which("clang-tidy-22", path=search) or shutil.which("clang-tidy", path=config.llvm_tools_dir)
if clang_tidy:
    config.available_features.add("clang-tidy")
    config.substitutions.append(("%clang_tidy", clang_tidy))
for program in ("git", "zstd"):
    if shutil.which(program):
        config.available_features.add(program)

# Packages of Python that examples and their tests use.
for package in ("torch", "jax"):
    probe = f"import importlib.util, sys; sys.exit(importlib.util.find_spec('{package}') is None)"
    if subprocess.run([python, "-c", probe], check=False).returncode == 0:
        config.available_features.add(package)

# A browser and its driver; a cluster's queue on one machine.
if shutil.which("chromium") and shutil.which("chromedriver"):
    config.available_features.add("chromium")
if all(shutil.which(name, path=f"{search}:/usr/sbin") for name in ("slurmctld", "slurmd", "munged", "sbatch")):
    config.available_features.add("slurm")

if ctypes.util.find_library("openblas"):
    config.available_features.add("openblas")
