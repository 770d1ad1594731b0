import { type Pace, withoutPause } from '../../turns/pace.ts';
import { type FileBytes, FileFault, watchedBytes } from '../file-bytes.ts';
import { countLeftOut, type LeftOut } from '../left-out.ts';
import type { LoggedFile, LoggedRow } from '../logged-file.ts';
import { isFinerThanNs, namesZone } from '../text/cells.ts';
import { createPointFields, type PointFields } from './gpx-fields.ts';
import { createGpxHead } from './gpx-head.ts';
import { createGpxParser, type GpxPoint, type GpxVisitor } from './gpx-parser.ts';
import { placeOfPoint, timeOfPoint } from './gpx-place.ts';
import { createGpxSurvey } from './gpx-survey.ts';
import { positionChannels } from './position-channels.ts';
import { xmlPieces } from './xml-pieces.ts';

/** Longer texts of times may say more than nanoseconds. */
const longTime = '2021-05-08T14:03:10.123456789Z'.length;

/**
 * Tracks and timed routes of GPX 1.0 and 1.1: a row for each point that has a time. Where several tracks or routes have such
 * points, rows have the tag Track. It is read twice; memory does not depend on its length. Throws a FileFault.
 */
export async function openGpx(
  file: FileBytes,
  onBytes: (bytes: number) => void = () => undefined,
  pace: Pace = withoutPause,
): Promise<LoggedFile> {
  const bytes = watchedBytes(file, onBytes);
  const fields = createPointFields();
  const left = countLeftOut();
  const head = createGpxHead();
  const survey = createGpxSurvey(fields.fields);
  let rows = 0;
  let [withoutZone, finer] = [0, 0];
  let [first, last]: (bigint | undefined)[] = [];
  let isForward = true;
  const visitor = { track: head.addTrack, segment: head.addSegment, text: head.addText };
  for await (const points of pointsOf(bytes, fields, visitor, left, pace)) {
    for (const point of points) {
      placeOfPoint(point);
      if (point.time === undefined) {
        left.leave('points without a time', point.line);
        continue;
      }
      const time = timeOfPoint(point.time, point.line);
      survey.see(point);
      head.addPoint(point.track);
      rows++;
      if (!namesZone(point.time, 'iso')) withoutZone++;
      if (point.time.length > longTime && isFinerThanNs(point.time, 'iso')) finer++;
      if (first === undefined || time < first) first = time;
      if (last !== undefined && time <= last) isForward = false;
      last = time;
    }
  }
  if (rows === 0)
    throw new FileFault(
      ['there is no point with a time, of a track or a route', ...left.texts()].join('; '),
      undefined,
    );
  const { columns, ...surveyed } = survey.end();
  const { trackNames, metadata, ...headed } = head.end();
  const used = head.tracks.filter(({ points }) => points > 0);
  const isTagged = used.length > 1;
  const taken = columns.flatMap((column, place) => (column === undefined ? [] : [{ place, ...column }]));
  async function* read(): AsyncGenerator<LoggedRow> {
    const nobody = { track() {}, segment() {}, text() {} };
    for await (const points of pointsOf(bytes, fields, nobody, countLeftOut(), pace)) {
      for (const point of points) {
        if (point.time === undefined) continue;
        const { latitude, longitude } = placeOfPoint(point);
        yield {
          time: timeOfPoint(point.time, point.line),
          values: [latitude, longitude, ...taken.map((column) => column.read(point.texts[column.place]))],
          tags: isTagged ? [trackNames[point.track]!] : [],
        };
      }
    }
  }
  const { latitude, longitude } = positionChannels;
  const segments = used.reduce((sum, track) => sum + Math.max(1, track.segments), 0) - used.length;
  return {
    tables: [{ channels: [latitude, longitude, ...taken.map(({ channel }) => channel)], rows, read }],
    tags: isTagged ? ['Track'] : [],
    metadata,
    start: first!,
    timeKind: 'moment',
    isForward,
    leftOut: [...left.texts(), ...surveyed.leftOut, ...headed.leftOut],
    notes: [
      ...surveyed.notes,
      ...fields.notes(),
      ...(isTagged ? headed.trackNotes : []),
      ...headed.notes,
      ...(segments > 0 ? [`rows of ${segments + used.length} segments follow each other`] : []),
      ...(withoutZone > 0 ? [`${withoutZone} times without a zone were taken for UTC`] : []),
      ...(finer > 0 ? [`${finer} times were rounded to the nanosecond`] : []),
    ],
  };
}

/** Points of each piece of a file. */
async function* pointsOf(
  file: FileBytes,
  fields: PointFields,
  visitor: Omit<GpxVisitor, 'point'>,
  left: LeftOut,
  pace: Pace,
): AsyncGenerator<readonly GpxPoint[]> {
  let points: GpxPoint[] = [];
  const parser = createGpxParser(fields, { ...visitor, point: (one) => points.push(one) }, left);
  for await (const piece of xmlPieces(file)) {
    parser.write(piece);
    yield points;
    points = [];
    const pause = pace();
    if (pause !== undefined) await pause;
  }
  parser.close();
}
