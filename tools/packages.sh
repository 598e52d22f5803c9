# The Debian packages that building and testing take. Sourced by other scripts.

# To run the tests: the tools that programs without sstfilter are tried with, and
# those that draw and read what sstfilter makes.
test_packages=(
  gnuplot-nox
  groff-base
  libxml2-utils
  python3
  rocksdb-tools
)

build_packages=(
  cmake
  g++
  libbenchmark-dev
  libcli11-dev
  libfmt-dev
  libgtest-dev
  librocksdb-dev
  libxxhash-dev
  ninja-build
  nlohmann-json3-dev
  pkg-config
)

# install_packages PACKAGE... : installs those that are missing. Without root, says
# which they are and fails.
install_packages() {
  local package missing=()
  for package in "$@"; do
    if [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$package" \
        2>/dev/null) != installed ]]; then
      missing+=("$package")
    fi
  done
  ((${#missing[@]} == 0)) && return
  if ((EUID != 0)); then
    echo "missing packages (install them as root): ${missing[*]}" >&2
    return 1
  fi
  echo "installing ${missing[*]}" >&2
  # Into the log of the one who watches, not into the output of the program.
  apt-get -qq update >&2
  DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes \
    --no-install-recommends "${missing[@]}" >&2
}

# install_promtool : installs promtool, which checks metrics, if it is missing. Alone:
# its package, prometheus, would start a server.
install_promtool() {
  command -v promtool >/dev/null && return
  if ((EUID != 0)); then
    echo "missing program (install it as root): promtool" >&2
    return 1
  fi
  echo "installing promtool" >&2
  apt-get -qq update >&2
  (
    directory=$(mktemp -d)
    trap 'rm -r "$directory"' EXIT
    cd "$directory"
    apt-get -qq --option APT::Sandbox::User=root download prometheus >&2
    dpkg-deb --extract prometheus_*.deb .
    install usr/bin/promtool /usr/local/bin
  )
}
