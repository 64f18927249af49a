# The unit tests: every program bin/unit/*Tests is a GoogleTest; lit runs it in shards and
# counts each of its tests.

import os
import sys

import lit.formats

sys.path.append(os.path.join(config.hone_src_root, "test"))
import sanitizers

config.name = "hone-unit"
config.test_format = lit.formats.GoogleTest(".", "Tests")
config.test_source_root = os.path.join(config.hone_obj_root, "bin", "unit")
config.test_exec_root = config.test_source_root
config.suffixes = set()
for variable in ("HOME", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "GLIBC_TUNABLES"):
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]
config.environment["XDG_CACHE_HOME"] = os.path.join(config.hone_obj_root, "test", "cache")
if config.hone_asan_runtime:
    sanitizers.add_environment(config.environment, config.hone_src_root)
# `readers` runs the one program of every room that reads untrusted text.
if lit_config.params.get("readers"):
    config.test_source_root = os.path.join(config.hone_obj_root, "bin", "readers")
    config.test_exec_root = config.test_source_root
