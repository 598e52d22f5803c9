# sstfilter inside RocksDB's own build (RocksDB: plugin/README.md). In RocksDB's tree:
#
#   ln -s /path/to/sstfilter/integration/plugin plugin/sstfilter
#   make ROCKSDB_PLUGINS=sstfilter static_lib      # or with CMake:
#   cmake -DROCKSDB_PLUGINS=sstfilter ...
#
# A link, not a copy: the sources are found relative to where it points. xxHash's
# header (Debian: libxxhash-dev) must be installed.
#
# RocksDB's CMake reads the next line too.
sstfilter_FUNC = sstfilter_register_plugin

sstfilter_root := $(realpath $(dir $(lastword $(MAKEFILE_LIST)))../..)
sstfilter_all := $(foreach layer,filter table integration, \
  $(patsubst $(sstfilter_root)/%,../../%,$(wildcard $(sstfilter_root)/$(layer)/*.cc)))
sstfilter_x86 := $(filter x86_64 amd64,$(or $(TARGET_ARCHITECTURE),$(shell uname -m)))
sstfilter_kernels := $(if $(sstfilter_x86),,%_avx2.cc %_avx512.cc)
sstfilter_SOURCES := register.cc \
  $(filter-out ../../integration/preload% $(sstfilter_kernels),$(sstfilter_all))

sstfilter_CXXFLAGS := -DSSTFILTER_ROCKSDB_SOURCE_TREE -I$(sstfilter_root) \
  -I$(sstfilter_root)/filter/include -I$(sstfilter_root)/integration/include \
  $(if $(sstfilter_x86),-DSSTFILTER_X86_KERNELS=1)

# The kernels, each for its instruction set; they are chosen at run time.
sstfilter_avx2 := -mavx2 -mbmi -mbmi2 -mpopcnt
sstfilter_avx512 := $(sstfilter_avx2) -mavx512f -mavx512bw -mavx512dq -mavx512vl \
  -mavx512vpopcntdq -mavx512vbmi -mgfni
define sstfilter_kernel_flags
%plugin/sstfilter/$(1:.cc=.o): CXXFLAGS += $(2)
plugin/sstfilter/$(1:.cc=.o): CXXFLAGS += $(2)
endef
$(foreach level,avx2 avx512,$(foreach kernel,$(filter %_$(level).cc,$(sstfilter_SOURCES)), \
  $(eval $(call sstfilter_kernel_flags,$(kernel),$(sstfilter_$(level))))))
