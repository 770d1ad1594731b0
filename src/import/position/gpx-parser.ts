import { SaxesParser, type SaxesTagNS } from 'saxes';
import type { LeftOut } from '../left-out.ts';
import { lineFault } from '../log-lines.ts';
import type { PointElement, PointFields } from './gpx-fields.ts';

/** A point of a track or a route, with texts as they stand in the file. */
export interface GpxPoint {
  /** The line where its tag ends, from 1. */
  readonly line: number;
  /** The place of its track or route in the file, from 0. */
  readonly track: number;
  readonly lat: string | undefined;
  readonly lon: string | undefined;
  time: string | undefined;
  /** By the places of fields, and the lines where they stand. */
  readonly texts: (string | undefined)[];
  readonly lines: number[];
}

/** Is told what stands in a file, in its order. */
export interface GpxVisitor {
  track(kind: 'trk' | 'rte'): void;
  segment(): void;
  point(point: GpxPoint): void;
  /**
   * What is said of the file, or of the last track or route.
   * @param names of elements, the outermost first, perhaps with an attribute behind them
   */
  text(names: readonly string[], isOfTrack: boolean, text: string): void;
}

export interface GpxParser {
  /** Throws a FileFault with the line of what is wrong. */
  write(text: string): void;
  /** Throws a FileFault where the file is cut off. */
  close(): void;
}

const mostDepth = 100;
const longestText = 1 << 16;
/** Characters without an end of a tag or a text among them. */
const longestPart = 4 << 20;
const garmin = 'http://www.garmin.com/xmlschemas/TrackPointExtension/v1';
const schemaInstance = 'http://www.w3.org/2001/XMLSchema-instance';

/** Reads GPX 1.0 and 1.1 that comes in pieces. What is said of it as XML is that of the parser, with the line. */
export function createGpxParser(fields: PointFields, visitor: GpxVisitor, { leave }: LeftOut): GpxParser {
  const parser = new SaxesParser({
    xmlns: true,
    // What was cut out of another file may lack the declaration.
    resolvePrefix: (prefix: string) => (prefix === 'gpxtpx' ? garmin : `undeclared:${prefix}`),
  });
  let gpx = '';
  /** Open elements: outside of points, in one, and in what is not read. */
  const outside: string[] = [];
  const inside: PointElement[] = [];
  let skipped = 0;
  let point: GpxPoint | undefined;
  let track = -1;
  let isInTrack = false;
  /** Of the element that is open, as long as it has no other in it. */
  let text = '';
  let isLeaf = false;
  let charactersSinceEvent = 0;
  let isClosing = false;

  const fault = (what: string): Error => lineFault(parser.line, what);

  const openOutside = (tag: SaxesTagNS): void => {
    const isGpx = outside.length === 0 || tag.uri === gpx;
    const name = isGpx ? tag.local : tag.name;
    const parent = outside.join('/');
    if (outside.length === 0) {
      if (name !== 'gpx') throw fault(`this is no GPX: its first element is <${tag.name}>`);
      gpx = tag.uri;
    }
    if (parent === 'gpx' && name === 'wpt') {
      leave('waypoints', parser.line);
      skipped = 1;
      return;
    }
    if ((parent === 'gpx/trk/trkseg' && name === 'trkpt') || (parent === 'gpx/rte' && name === 'rtept')) {
      const { lat, lon } = tag.attributes;
      point = {
        line: parser.line,
        track,
        lat: lat?.value,
        lon: lon?.value,
        time: undefined,
        texts: [],
        lines: [],
      };
      return;
    }
    if (parent === 'gpx' && (name === 'trk' || name === 'rte')) {
      track++;
      isInTrack = true;
      visitor.track(name);
    }
    if (parent === 'gpx/trk' && name === 'trkseg') visitor.segment();
    outside.push(name);
    for (const [attribute, value] of attributesOf(tag))
      if (parent !== '' || attribute !== 'version') visitor.text([...outside, attribute], isInTrack, value);
  };

  const openInside = (tag: SaxesTagNS): void => {
    const element = fields.elementIn(inside.at(-1) ?? fields.point, tag.local, tag.uri, tag.uri === gpx);
    inside.push(element);
    for (const [name, value] of attributesOf(tag)) set(fields.attributeOf(element, name), value);
  };

  const closeOutside = (): void => {
    const value = text.trim();
    if (isLeaf && value !== '' && value.length <= longestText) visitor.text(outside, isInTrack, value);
    else if (isLeaf && value !== '') leave(`texts of ${outside.at(-1)} that are too long`, parser.line);
    const name = outside.pop();
    if (outside.length === 1 && (name === 'trk' || name === 'rte')) isInTrack = false;
  };

  const closeInside = (closed: GpxPoint): void => {
    const element = inside.pop();
    if (element === undefined) {
      visitor.point(closed);
      point = undefined;
      return;
    }
    const value = text.trim();
    if (!isLeaf || value === '') return;
    if (text.length > longestText) throw fault(`${element.name} has more than ${longestText} characters`);
    set(element, value);
  };

  const set = (element: PointElement, value: string): void => {
    const { texts, lines } = point!;
    if (element.isTime) {
      if (point!.time === undefined) point!.time = value;
      else leave('times that a point has besides its first', parser.line);
      return;
    }
    const { place, channel } = fields.fieldOf(element, parser.line);
    if (texts[place] !== undefined) {
      leave(`values of ${channel.name} that a point has besides its first`, parser.line);
      return;
    }
    texts[place] = value;
    lines[place] = parser.line;
  };

  /** Text beside elements is no value of any. */
  const endText = (): void => {
    if (skipped === 0 && text.trim() !== '') leave('texts between elements', parser.line);
  };
  const take = (more: string): void => {
    charactersSinceEvent = 0;
    if (text.length <= longestText) text += more;
  };

  parser.on('error', ({ message }) => {
    const what = message.replace(/^\d+:\d+: /, '').replace(/\.$/, '');
    const open = /^unclosed tag: (.*)/.exec(what)?.[1];
    const isCut = isClosing && (open !== undefined || what === 'unexpected end');
    throw fault(
      isCut
        ? `the file is cut off${open === undefined ? '' : `: <${open}> has no end`}`
        : `this is no valid XML: ${what}`,
    );
  });
  parser.on('doctype', () => {
    throw fault('it has a DOCTYPE, which GPX does not have: entities that one declares are not read');
  });
  parser.on('opentag', (tag) => {
    charactersSinceEvent = 0;
    endText();
    text = '';
    isLeaf = true;
    if (skipped > 0) skipped++;
    else if (point === undefined) openOutside(tag);
    else openInside(tag);
    if (outside.length + inside.length + skipped > mostDepth)
      throw fault(`elements stand more than ${mostDepth} deep in each other`);
  });
  parser.on('text', take);
  parser.on('cdata', take);
  parser.on('comment', () => {
    charactersSinceEvent = 0;
  });
  parser.on('closetag', () => {
    if (!isLeaf) endText();
    if (skipped > 0) skipped--;
    else if (point === undefined) closeOutside();
    else closeInside(point);
    text = '';
    isLeaf = false;
  });

  return {
    write(piece) {
      charactersSinceEvent += piece.length;
      parser.write(piece);
      if (charactersSinceEvent > longestPart)
        throw fault(`a tag or a text has more than ${longestPart} characters`);
    },
    close() {
      isClosing = true;
      parser.close();
    },
  };
}

const none: readonly never[] = [];

/** Without those of XML itself. */
function attributesOf({ attributes }: SaxesTagNS): readonly (readonly [name: string, value: string])[] {
  const all = Object.values(attributes);
  if (all.length === 0) return none;
  return all.flatMap(({ prefix, name, local, uri, value }) =>
    prefix === 'xmlns' || name === 'xmlns' || uri === schemaInstance || value.trim() === ''
      ? []
      : [[local, value.trim()]],
  );
}
