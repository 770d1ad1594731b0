#!/bin/sh
# npm candied 2.2.0, which reads DBC files and decodes frames of a CAN bus.
#
# Can.decode gives other values than the DBC says, without an error:
#   - a value beyond the minimum or maximum of its signal becomes that minimum or maximum. These bounds are for people in other tools,
#     and many files have them too narrow: 65535 * 0.25 in [0|8000] comes as 8000.
#   - the signal of a floating-point number (SIG_VALTYPE_ 1) comes as its bits: 1.0 is 1065353216. The parser knows its type ('float').
#   - all multiplexed signals come in every frame, also those that are not in it.
#
# Seen:
#   Speed 8000
#   Ratio 1065353216
#   A 5, B 5
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --ignore-scripts --no-audit --no-fund candied@2.2.0 >/dev/null
cat >try.mjs <<'JS'
import { Can, Dbc } from 'candied';
const can = new Can();
can.database = new Dbc().load(`VERSION ""

BO_ 100 M: 8 E
 SG_ Speed : 0|16@1+ (0.25,0) [0|8000] "rpm" E

BO_ 101 N: 8 E
 SG_ Ratio : 0|32@1- (1,0) [0|0] "" E

BO_ 102 O: 8 E
 SG_ Mux M : 0|8@1+ (1,0) [0|0] "" E
 SG_ A m0 : 8|8@1+ (1,0) [0|0] "" E
 SG_ B m1 : 8|8@1+ (1,0) [0|0] "" E

SIG_VALTYPE_ 101 Ratio : 1;
`);
const decode = (id, payload) => can.decode({ id, dlc: 8, isExtended: false, payload }).boundSignals;
const mixed = decode(102, [0, 5, 0, 0, 0, 0, 0, 0]);
console.log('Speed', decode(100, [255, 255, 0, 0, 0, 0, 0, 0]).get('Speed').value);
console.log('Ratio', decode(101, [0, 0, 0x80, 0x3f, 0, 0, 0, 0]).get('Ratio').value);
console.log(`A ${mixed.get('A').value}, B ${mixed.get('B').value}`);
JS
seen=$(node try.mjs)
echo "$seen"
[ "$seen" = 'Speed 8000
Ratio 1065353216
A 5, B 5' ]
