import type { Attack } from './attack.ts';
import { authorization } from './authorization.ts';
import { connections } from './connections.ts';
import { contentLength, heldBodies } from './content-length.ts';
import { docs } from './docs.ts';
import { hubArguments } from './hub-arguments.ts';
import { hubFrames, socketPings } from './hub-frames.ts';
import { hubReaders } from './hub-readers.ts';
import { jsonBombs } from './json-bombs.ts';
import { mqttConnects, mqttFilters, mqttLengths, mqttPings } from './mqtt.ts';

export const attacks: readonly Attack[] = [
  hubArguments,
  jsonBombs,
  hubFrames,
  socketPings,
  hubReaders,
  contentLength,
  heldBodies,
  docs,
  authorization,
  connections,
  mqttConnects,
  mqttFilters,
  mqttLengths,
  mqttPings,
];
