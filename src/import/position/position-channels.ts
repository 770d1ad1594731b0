import type { LoggedChannel } from '../logged-file.ts';

/** Channels that files of positions have alike, whatever their format. */
export const positionChannels = {
  latitude: { name: 'Latitude', unit: 'deg' },
  longitude: { name: 'Longitude', unit: 'deg' },
  altitude: { name: 'Altitude', unit: 'm' },
  speed: { name: 'Speed', unit: 'km/h' },
  course: { name: 'Course', unit: 'deg' },
  satellites: { name: 'Satellites', unit: '' },
  hdop: { name: 'HDOP', unit: '' },
  quality: { name: 'Fix quality', unit: '' },
  geoidHeight: { name: 'Geoid height', unit: 'm' },
} as const satisfies Record<string, LoggedChannel>;

export const kmhOfKnot = 1.852;
export const kmhOfMs = 3.6;

/** A value in another unit. A factor is no double: without this, 1.1 m/s would be 3.9600000000000004 km/h. */
export function inUnit(value: number, factor: number): number {
  return Number((value * factor).toPrecision(15));
}
