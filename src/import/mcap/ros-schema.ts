import { MessageFault } from '../../protobuf/wire-reader.ts';
import { type CdrField, CdrKind, type CdrSchema, type CdrType, plainField } from './cdr-types.ts';

const { Bool, Int8, Uint8, Int16, Uint16, Int32, Uint32, Int64, Uint64, Float32, Float64, Text } = CdrKind;
const primitives: ReadonlyMap<string, CdrKind> = new Map([
  ['bool', Bool],
  ['char', Uint8],
  ['int8', Int8],
  ['uint8', Uint8],
  ['int16', Int16],
  ['uint16', Uint16],
  ['int32', Int32],
  ['uint32', Uint32],
  ['int64', Int64],
  ['uint64', Uint64],
  ['float32', Float32],
  ['float64', Float64],
  ['string', Text],
]);

/** Which ROS a definition is of. */
export type RosVersion = 1 | 2;

const fieldForm = /^([\w/]+)(?:<=\d+)?(?:\[(<=)?(\d*)\])?\s+([A-Za-z]\w*)\s*(.*)$/;

/**
 * Definitions as rosbag2 and Foxglove write them (`ros1msg`, `ros2msg`): the root first, then after lines of `=` each
 * with `MSG: package/Name`. Throws a MessageFault.
 */
export function parseRosSchema(name: string, text: string, version: RosVersion): CdrSchema {
  const parts = text.split(/^=+[ \t\r]*$/m);
  const named = parts.map((part, i) => {
    const given = /^\s*MSG:\s*(\S+)/.exec(part)?.[1];
    return { name: shortName(i === 0 || given === undefined ? name : given), text: part };
  });
  const known = new Set(named.map((one) => one.name));
  const types = new Map<string, CdrType>([
    ['time', momentType('time', version)],
    ['duration', momentType('duration', version)],
  ]);
  for (const { name: own, text: lines } of named) {
    if (!types.has(own)) types.set(own, typeOf(own, fieldsOf(lines, { own, known, version })));
  }
  return { root: types.get(shortName(name))!, types };
}

/** Seconds and nanoseconds; only a time of ROS 1 has seconds without a sign, and only its durations have nanoseconds with one. */
function momentType(name: 'time' | 'duration', version: RosVersion): CdrType {
  const isTime = name === 'time';
  const seconds = isTime && version === 1 ? Uint32 : Int32;
  const nanos = isTime || version === 2 ? Uint32 : Int32;
  return typeOf(name, [plainField('sec', seconds, '', []), plainField('nanosec', nanos, '', [])]);
}

function typeOf(name: string, fields: readonly CdrField[]): CdrType {
  return { name, fields, extensibility: undefined, cases: undefined, otherCase: undefined };
}

/** `package/msg/Name` and `package/Name` are the same. */
function shortName(name: string): string {
  return name.replace(/\/(?:msg|srv|action)\//, '/');
}

interface Scope {
  readonly own: string;
  readonly known: ReadonlySet<string>;
  readonly version: RosVersion;
}

function fieldsOf(text: string, scope: Scope): CdrField[] {
  return text.split(/[\r\n]+/).flatMap((line) => {
    const bare = line.replace(/#[\s\S]*$/, '').trim();
    if (bare === '' || bare.startsWith('MSG:')) return [];
    const match = fieldForm.exec(bare);
    if (match === null)
      throw new MessageFault(`the line '${bare.slice(0, 80)}' of its schema is not understood`);
    const [, type, atMost, length, name, rest] = match;
    // A constant: it is in no message.
    if (rest!.startsWith('=')) return [];
    const lengths = length === undefined ? [] : [length === '' || atMost !== undefined ? -1 : Number(length)];
    // Of ROS 1 another name of int8, of ROS 2 an octet.
    const kind = type === 'byte' ? (scope.version === 1 ? Int8 : Uint8) : primitives.get(type!);
    return [
      kind === undefined
        ? plainField(name!, CdrKind.Type, fullType(type!, scope), lengths)
        : plainField(name!, kind, '', lengths),
    ];
  });
}

function fullType(type: string, { own, known }: Scope): string {
  if (type === 'time' || type === 'duration') return type;
  const short = shortName(type);
  const found = [short, `${own.split('/')[0]}/${short}`, type === 'Header' ? 'std_msgs/Header' : short].find(
    (one) => known.has(one),
  );
  if (found !== undefined) return found;
  // Some writers leave these out, for all know them.
  if (/^builtin_interfaces\/(?:Time|Duration)$/.test(short))
    return short.endsWith('Time') ? 'time' : 'duration';
  if (type === 'wstring')
    throw new MessageFault('it has a wstring, which writers of ROS write in ways of their own');
  throw new MessageFault(`its schema does not say what ${type} is`);
}
