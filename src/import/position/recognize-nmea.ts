import { headLines } from '../log-lines.ts';
import { nmeaSentence } from './nmea-sentence.ts';

/** Systems of satellites, as talkers, before what they say. */
const begin = /\$(?:G[ABILNPQ]|BD|QZ)[A-Z]{3},/;

/** Whether a file begins with sentences of a receiver of NMEA 0183: at least half of its lines are such. */
export function isNmea(head: Uint8Array): boolean {
  const lines = headLines(head);
  const sentences = lines.filter((line) => {
    const at = line.search(begin);
    return at >= 0 && typeof nmeaSentence(line.slice(at)) === 'object';
  });
  return sentences.length > 0 && sentences.length * 2 >= lines.length;
}
