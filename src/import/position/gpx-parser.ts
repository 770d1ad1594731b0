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
/** The most characters without an end of a tag or a text among them. */
const longestPart = 4 << 20;
const garmin = 'http://www.garmin.com/xmlschemas/TrackPointExtension/v1';
const schemaInstance = 'http://www.w3.org/2001/XMLSchema-instance';

/** Reads GPX 1.0 and 1.1 that comes in pieces. What is said of it as XML is that of the parser, with the line. */
export function createGpxParser(fields: PointFields, visitor: GpxVisitor, parts: LeftOut): GpxParser {
  return new GpxDocument(fields, visitor, parts);
}

class GpxDocument implements GpxParser {
  readonly #fields: PointFields;
  readonly #visitor: GpxVisitor;
  readonly #parts: LeftOut;
  readonly #parser = new SaxesParser({
    xmlns: true,
    // What was cut out of another file may lack the declaration.
    resolvePrefix: (prefix: string) => (prefix === 'gpxtpx' ? garmin : `undeclared:${prefix}`),
  });
  #gpx = '';
  /** Open elements: outside of points, in one, and in what is not read. */
  readonly #outside: string[] = [];
  readonly #inside: PointElement[] = [];
  #skipped = 0;
  #point: GpxPoint | undefined;
  #track = -1;
  #isInTrack = false;
  /** Of the element that is open, as long as it has no other in it. */
  #text = '';
  #isLeaf = false;
  #charactersSinceEvent = 0;
  #isClosing = false;

  constructor(fields: PointFields, visitor: GpxVisitor, parts: LeftOut) {
    this.#fields = fields;
    this.#visitor = visitor;
    this.#parts = parts;
    this.#parser.on('error', ({ message }) => {
      const what = message.replace(/^\d+:\d+: /, '').replace(/\.$/, '');
      const open = /^unclosed tag: (.*)/.exec(what)?.[1];
      const isCut = this.#isClosing && (open !== undefined || what === 'unexpected end');
      throw this.#fault(
        isCut
          ? `the file is cut off${open === undefined ? '' : `: <${open}> has no end`}`
          : `this is no valid XML: ${what}`,
      );
    });
    this.#parser.on('doctype', () => {
      throw this.#fault('it has a DOCTYPE, which GPX does not have: entities that one declares are not read');
    });
    this.#parser.on('opentag', (tag) => {
      this.#charactersSinceEvent = 0;
      this.#endText();
      this.#text = '';
      this.#isLeaf = true;
      if (this.#skipped > 0) this.#skipped++;
      else if (this.#point === undefined) this.#openOutside(tag);
      else this.#openInside(tag);
      if (this.#outside.length + this.#inside.length + this.#skipped > mostDepth)
        throw this.#fault(`elements stand more than ${mostDepth} deep in each other`);
    });
    this.#parser.on('text', this.#take);
    this.#parser.on('cdata', this.#take);
    this.#parser.on('comment', () => {
      this.#charactersSinceEvent = 0;
    });
    this.#parser.on('closetag', () => {
      if (!this.#isLeaf) this.#endText();
      if (this.#skipped > 0) this.#skipped--;
      else if (this.#point === undefined) this.#closeOutside();
      else this.#closeInside(this.#point);
      this.#text = '';
      this.#isLeaf = false;
    });
  }

  readonly #take = (more: string): void => {
    this.#charactersSinceEvent = 0;
    if (this.#text.length <= longestText) this.#text += more;
  };

  write(piece: string): void {
    this.#charactersSinceEvent += piece.length;
    this.#parser.write(piece);
    if (this.#charactersSinceEvent > longestPart)
      throw this.#fault(`a tag or a text has more than ${longestPart} characters`);
  }

  close(): void {
    this.#isClosing = true;
    this.#parser.close();
  }

  #fault(what: string): Error {
    return lineFault(this.#parser.line, what);
  }

  #openOutside(tag: SaxesTagNS): void {
    const isGpx = this.#outside.length === 0 || tag.uri === this.#gpx;
    const name = isGpx ? tag.local : tag.name;
    const parent = this.#outside.join('/');
    if (this.#outside.length === 0) {
      if (name !== 'gpx') throw this.#fault(`this is no GPX: its first element is <${tag.name}>`);
      this.#gpx = tag.uri;
    }
    if (parent === 'gpx' && name === 'wpt') {
      this.#parts.leave('waypoints', this.#parser.line);
      this.#skipped = 1;
      return;
    }
    if ((parent === 'gpx/trk/trkseg' && name === 'trkpt') || (parent === 'gpx/rte' && name === 'rtept')) {
      const { lat, lon } = tag.attributes;
      this.#point = {
        line: this.#parser.line,
        track: this.#track,
        lat: lat?.value,
        lon: lon?.value,
        time: undefined,
        texts: [],
        lines: [],
      };
      return;
    }
    if (parent === 'gpx' && (name === 'trk' || name === 'rte')) {
      this.#track++;
      this.#isInTrack = true;
      this.#visitor.track(name);
    }
    if (parent === 'gpx/trk' && name === 'trkseg') this.#visitor.segment();
    this.#outside.push(name);
    for (const [attribute, value] of attributesOf(tag))
      if (parent !== '' || attribute !== 'version')
        this.#visitor.text([...this.#outside, attribute], this.#isInTrack, value);
  }

  #openInside(tag: SaxesTagNS): void {
    const element = this.#fields.elementIn(
      this.#inside.at(-1) ?? this.#fields.point,
      tag.local,
      tag.uri,
      tag.uri === this.#gpx,
    );
    this.#inside.push(element);
    for (const [name, value] of attributesOf(tag)) this.#set(this.#fields.attributeOf(element, name), value);
  }

  #closeOutside(): void {
    const value = this.#text.trim();
    if (this.#isLeaf && value !== '' && value.length <= longestText)
      this.#visitor.text(this.#outside, this.#isInTrack, value);
    else if (this.#isLeaf && value !== '')
      this.#parts.leave(`texts of ${this.#outside.at(-1)} that are too long`, this.#parser.line);
    const name = this.#outside.pop();
    if (this.#outside.length === 1 && (name === 'trk' || name === 'rte')) this.#isInTrack = false;
  }

  #closeInside(closed: GpxPoint): void {
    const element = this.#inside.pop();
    if (element === undefined) {
      this.#visitor.point(closed);
      this.#point = undefined;
      return;
    }
    const value = this.#text.trim();
    if (!this.#isLeaf || value === '') return;
    if (this.#text.length > longestText)
      throw this.#fault(`${element.name} has more than ${longestText} characters`);
    this.#set(element, value);
  }

  #set(element: PointElement, value: string): void {
    const { texts, lines } = this.#point!;
    if (element.isTime) {
      if (this.#point!.time === undefined) this.#point!.time = value;
      else this.#parts.leave('times that a point has besides its first', this.#parser.line);
      return;
    }
    const { place, channel } = this.#fields.fieldOf(element, this.#parser.line);
    if (texts[place] !== undefined) {
      this.#parts.leave(`values of ${channel.name} that a point has besides its first`, this.#parser.line);
      return;
    }
    texts[place] = value;
    lines[place] = this.#parser.line;
  }

  /** Text beside elements is no value of any. */
  #endText(): void {
    if (this.#skipped === 0 && this.#text.trim() !== '')
      this.#parts.leave('texts between elements', this.#parser.line);
  }
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
