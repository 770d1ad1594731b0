import { channelNames } from '../channel-names.ts';
import { lineFault } from '../log-lines.ts';
import type { LoggedChannel } from '../logged-file.ts';
import { kmhOfMs, positionChannels } from './position-channels.ts';

/** What stands in points and is read: an element with a text, or an attribute. */
export interface PointField {
  /** Its place among the texts of a point. */
  readonly place: number;
  readonly channel: LoggedChannel;
  /** Whether the format says that it is a number, or text. Others are as their texts are. */
  readonly isKnown: boolean;
  /** To the unit of the channel. */
  readonly factor?: number;
}

/** An element that may stand in a point, or an attribute of one, by where it stands. */
export interface PointElement {
  readonly name: string;
  readonly isGpx: boolean;
  /** Whether it is the time of the point. */
  readonly isTime: boolean;
  /** By namespace and name. */
  readonly inside: Map<string, PointElement>;
  /** Since it had a text. */
  field?: PointField;
}

type Known = Pick<PointField, 'channel' | 'factor'>;

/** Children of a point in the namespace of GPX; speed and course in 1.0. */
const gpxFields: Readonly<Record<string, Known>> = {
  ele: { channel: positionChannels.altitude },
  speed: { channel: positionChannels.speed, factor: kmhOfMs },
  course: { channel: positionChannels.course },
  magvar: { channel: { name: 'Magnetic variation', unit: 'deg' } },
  geoidheight: { channel: positionChannels.geoidHeight },
  fix: { channel: { name: 'Fix', unit: '', isText: true } },
  sat: { channel: positionChannels.satellites },
  hdop: { channel: positionChannels.hdop },
  vdop: { channel: { name: 'VDOP', unit: '' } },
  pdop: { channel: { name: 'PDOP', unit: '' } },
  ageofdgpsdata: { channel: { name: 'DGPS age', unit: 's' } },
  dgpsid: { channel: { name: 'DGPS station', unit: '' } },
};

/** Garmin's TrackPointExtension, versions 1 and 2. */
const garminFields: Readonly<Record<string, Known>> = {
  hr: { channel: { name: 'hr', unit: 'bpm' } },
  cad: { channel: { name: 'cad', unit: 'rpm' } },
  atemp: { channel: { name: 'atemp', unit: '°C' } },
  wtemp: { channel: { name: 'wtemp', unit: '°C' } },
  depth: { channel: { name: 'depth', unit: 'm' } },
  bearing: { channel: { name: 'bearing', unit: 'deg' } },
  speed: gpxFields['speed']!,
  course: gpxFields['course']!,
};
const garmin = /TrackPointExtension(?:\/v\d)?$/;

const power: Known = { channel: { name: 'power', unit: 'W' } };

/** The most fields of a file: more than any device writes. */
const mostFields = 1000;

/** All that points have. */
export interface PointFields {
  /** What a point is itself: elements in it are found from here. */
  readonly point: PointElement;
  readonly fields: readonly PointField[];
  /** Tells in words which fields have another name than in the file. */
  notes(): string[];
  /**
   * @param uri its namespace
   * @param isGpx whether that is the one of GPX
   */
  elementIn(parent: PointElement, name: string, uri: string, isGpx: boolean): PointElement;
  attributeOf(element: PointElement, name: string): PointElement;
  /** Throws a FileFault where there are too many. */
  fieldOf(element: PointElement, line: number): PointField;
}

export function createPointFields(): PointFields {
  const names = channelNames((what, line) => lineFault(line, what));
  for (const { name } of Object.values(positionChannels)) names.nameFor(name, 0);
  const fields: PointField[] = [];
  const known = new Map<Known, PointField>();
  const knownOf = new Map<PointElement, Known>();
  const add = (field: Omit<PointField, 'place'>, line: number): PointField => {
    if (fields.length === mostFields)
      throw lineFault(line, `points have more than ${mostFields} kinds of values`);
    const one = { place: fields.length, ...field };
    fields.push(one);
    return one;
  };
  const point = elementOf('', true);
  return {
    point,
    fields,
    notes: names.notes,
    elementIn(parent, name, uri, isGpx) {
      const key = `${uri} ${name}`;
      const there = parent.inside.get(key);
      if (there !== undefined) return there;
      const isOwn = parent === point || (parent.isGpx && parent.name === 'extensions');
      // An element of GPX in another one, such as the text of a link, says little without it.
      const isPart = isGpx && parent.isGpx && !isOwn;
      const element = elementOf(
        isPart ? `${parent.name}.${name}` : name,
        isGpx,
        isGpx && parent === point && name === 'time',
      );
      const what = isGpx && isOwn ? gpxFields[name] : garmin.test(uri) ? garminFields[name] : undefined;
      if (what !== undefined) knownOf.set(element, what);
      else if (name === 'power') knownOf.set(element, power);
      parent.inside.set(key, element);
      return element;
    },
    attributeOf(element, name) {
      const key = `@${name}`;
      const there = element.inside.get(key);
      if (there !== undefined) return there;
      const own = elementOf(`${element.name}.${name}`, false);
      element.inside.set(key, own);
      return own;
    },
    fieldOf(element, line) {
      if (element.field !== undefined) return element.field;
      const what = knownOf.get(element);
      const there = what && known.get(what);
      if (there !== undefined) element.field = there;
      else if (what === undefined)
        element.field = add(
          { channel: { name: names.nameFor(element.name, line), unit: '' }, isKnown: false },
          line,
        );
      else {
        element.field = add({ ...what, isKnown: true }, line);
        known.set(what, element.field);
      }
      return element.field;
    },
  };
}

function elementOf(name: string, isGpx: boolean, isTime = false): PointElement {
  return { name, isGpx, isTime, inside: new Map() };
}
