# SPDX-License-Identifier: CC0-1.0
"""The Python export in use: held against the bin and hex exports.

    use.py DIR      with vectors.py, *.bin and *.hex in it
"""

import os
import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True

from vectors import VECTORS  # noqa: E402


def main():
    for v in VECTORS:
        path = os.path.join(sys.argv[1], v.name)
        with open(path + '.bin', 'rb') as f:
            if f.read() != v.wire:
                sys.exit(v.name + ': bin differs')
        with open(path + '.hex', encoding='ascii') as f:
            if bytes.fromhex(f.read()) != v.wire:
                sys.exit(v.name + ': hex differs')
        if v.result == 'OK' and v.at != 0:
            sys.exit(v.name + ': a fault that is none')
    print('%d vectors alike' % len(VECTORS))


if __name__ == '__main__':
    main()
