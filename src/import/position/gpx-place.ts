import { lineFault } from '../log-lines.ts';
import { numberOfCell } from '../text/cells.ts';
import { type Moment, readMoment } from '../text/dates.ts';
import type { GpxPoint } from './gpx-parser.ts';

/** Degrees of a point. Throws a FileFault with its line. */
export function placeOfPoint({ lat, lon, line }: GpxPoint): { latitude: number; longitude: number } {
  return { latitude: degreesOf(lat, 'lat', 90, line), longitude: degreesOf(lon, 'lon', 180, line) };
}

function degreesOf(text: string | undefined, name: string, most: number, line: number): number {
  if (text === undefined) throw lineFault(line, `the point has no ${name}`);
  const degrees = /\d/.test(text) ? numberOfCell(text.trim(), '.') : undefined;
  if (degrees === undefined) throw lineFault(line, `${name} is '${text.slice(0, 40)}', which is no number`);
  if (!(Math.abs(degrees) <= most))
    throw lineFault(line, `${name} is ${degrees}, which is not from -${most} to ${most}`);
  return degrees;
}

const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n];

/** ns since the Unix epoch. Throws a FileFault with the line of the point. */
export function timeOfPoint(text: string, line: number): bigint {
  const read = readMoment(text, undefined);
  const problem =
    read === undefined || ('hasClock' in read && !read.hasClock)
      ? 'which is no time such as 2021-05-08T14:03:10Z'
      : 'problem' in read
        ? read.problem
        : read.time < least || read.time > most
          ? 'which is too far from 1970 to be kept'
          : undefined;
  if (problem !== undefined)
    throw lineFault(line, `the time of the point is '${text.slice(0, 40)}': ${problem}`);
  return (read as Moment).time;
}
