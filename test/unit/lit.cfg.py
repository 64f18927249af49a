# The unit tests: every program bin/unit/*Tests is a GoogleTest; lit runs it in shards and
# counts each of its tests.

import os

import lit.formats

config.name = "hone-unit"
config.test_format = lit.formats.GoogleTest(".", "Tests")
config.test_source_root = os.path.join(config.hone_obj_root, "bin", "unit")
config.test_exec_root = config.test_source_root
config.suffixes = set()
for variable in ("HOME", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH"):
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]
config.environment["XDG_CACHE_HOME"] = os.path.join(config.hone_obj_root, "test", "cache")
