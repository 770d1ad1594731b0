import { MessageFault } from './flatten.ts';

/** A field of a message definition of ROS. */
export interface RosField {
  readonly name: string;
  /** A primitive, or the full name of a message. */
  readonly type: string;
  /** -1 for an array of any length, -2 where there is none. */
  readonly length: number;
}

/** The messages of a schema by their full names; the first one is the root. */
export interface RosSchema {
  readonly root: string;
  readonly messages: ReadonlyMap<string, readonly RosField[]>;
}

export const rosPrimitives: ReadonlySet<string> = new Set(
  'bool byte char int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 float64 string time duration'.split(
    ' ',
  ),
);

const fieldForm = /^([\w/]+)(?:<=\d+)?(?:\[(<=)?(\d*)\])?\s+([A-Za-z]\w*)\s*(.*)$/;

/**
 * Definitions as rosbag2 and Foxglove write them (`ros1msg`, `ros2msg`): the root first, then after lines of `=` each
 * with `MSG: package/Name`. Throws a MessageFault.
 */
export function parseRosSchema(name: string, text: string): RosSchema {
  const parts = text.split(/^=+\s*$/m);
  const named = parts.map((part, i) => {
    const given = /^\s*MSG:\s*(\S+)/.exec(part)?.[1];
    return { name: shortName(i === 0 || given === undefined ? name : given), text: part };
  });
  const known = new Set(named.map((one) => one.name));
  const messages = new Map<string, RosField[]>();
  for (const { name: own, text: lines } of named) {
    if (!messages.has(own)) messages.set(own, fieldsOf(lines, own, known));
  }
  return { root: shortName(name), messages };
}

/** `package/msg/Name` and `package/Name` are the same. */
function shortName(name: string): string {
  return name.replace(/\/(?:msg|srv|action)\//, '/');
}

function fieldsOf(text: string, own: string, known: ReadonlySet<string>): RosField[] {
  return text.split('\n').flatMap((line) => {
    const bare = line.replace(/#.*$/, '').trim();
    if (bare === '' || bare.startsWith('MSG:')) return [];
    const match = fieldForm.exec(bare);
    if (match === null)
      throw new MessageFault(`the line '${bare.slice(0, 80)}' of its schema is not understood`);
    const [, type, atMost, length, name, rest] = match;
    // A constant: it is in no message.
    if (rest!.startsWith('=')) return [];
    return [
      {
        name: name!,
        type: fullType(type!, own, known),
        length: length === undefined ? -2 : length === '' || atMost !== undefined ? -1 : Number(length),
      },
    ];
  });
}

function fullType(type: string, own: string, known: ReadonlySet<string>): string {
  if (rosPrimitives.has(type)) return type;
  const short = shortName(type);
  const found = [short, `${own.split('/')[0]}/${short}`, type === 'Header' ? 'std_msgs/Header' : short].find(
    (one) => known.has(one),
  );
  if (found !== undefined) return found;
  // Some writers leave these out, for all know them.
  if (/^builtin_interfaces\/(?:Time|Duration)$/.test(short))
    return short.endsWith('Time') ? 'time' : 'duration';
  throw new MessageFault(`its schema does not say what ${type} is`);
}
