/* A program without RocksDB that loads a module with one, as Python or Java do,
 * and prints which filter policy the module got. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  void* module = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (module == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const char* (*policy_name)(void) = NULL;
  *(void**)&policy_name = dlsym(module, "policy_name");
  if (policy_name == NULL) return 1;
  puts(policy_name());
  return 0;
}
