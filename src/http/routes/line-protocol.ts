import type { Doors } from '../../ingest/doors.ts';
import type { Writer } from '../../ingest/writer.ts';
import type { Keeper, Reader } from '../../store/store.ts';
import { type Route, written } from '../route.ts';
import { eventValue } from '../schemas/written-data.ts';
import { countedDialect } from './counted-dialect.ts';
import { influxQuery } from './influx-query.ts';
import { badLines, dialects } from './line-dialects.ts';
import { flagOf, topicOf, unitOf, type Version } from './line-query.ts';
import { lineServices } from './line-services.ts';
import { writeCall } from './write-call.ts';

/** What an operator chooses of the line protocol. */
export interface LineSettings {
  /** Tags that tell streams of one measurement apart. */
  readonly streamTags: readonly string[];
  /** Where lines go whose address names no topic; undefined refuses them. */
  readonly topic: string | undefined;
}

/**
 * The line protocol's addresses, for clients of InfluxDB and QuestDB: they follow that database's rules for tokens, answers
 * and errors (its API documentation of versions 1, 2 and 3), none of our own.
 *
 *   version 1   POST /write?db=…&rp=…&precision=ns|n|us|u|ms|s|m|h
 *   version 2   POST /api/v2/write?bucket=…&precision=ns|us|ms|s      org is not looked at
 *   version 3   POST /api/v3/write_lp?db=…&precision=auto|nanosecond|microsecond|millisecond|second&accept_partial=true|false
 *
 * The topic is the bucket, or the database (`db/rp` with a retention policy).
 */
export function lineProtocol(
  writer: Writer,
  store: Pick<Keeper, 'health'> & Pick<Reader, 'catalog'>,
  settings: LineSettings,
  doors: Doors,
  now: () => number,
): Route[] {
  const door = doors.open('line', ['/write', '/api/v2/write', '/api/v3/write_lp']);
  const write = (version: Version, path: string): Route => ({
    method: 'POST',
    path,
    interface: 'writer',
    scope: 'write',
    summary: `Write in the line protocol, version ${version}`,
    body: { schema: eventValue, optional: true, anyType: true },
    dialect: countedDialect(door, dialects[version]),
    async handle(call) {
      const { query } = call;
      const topic = topicOf(query, version, settings.topic);
      const form = {
        unit: unitOf(query, version),
        streamTags: settings.streamTags,
        isWhole: version === 3 && !flagOf(query, 'accept_partial', true),
      };
      const lines = await writer.lines.write({ ...writeCall(call), topic }, call.body, form);
      const isNone = lines.isWhole && lines.bad > 0;
      const { expired, bad, good, rounded, replaced } = lines;
      const told = { bad_line: bad, ...(!isNone && { rounded, replaced }) };
      door.took({ rows: isNone ? 0 : good, expired, warning: lines.warning }, new Map(Object.entries(told)));
      const answer = lines.firstBad === undefined ? { status: 204 } : badLines[version](lines);
      return { ...answer, headers: { ...answer.headers, ...written(lines).headers } };
    },
  });
  return [
    write(1, '/write'),
    write(2, '/api/v2/write'),
    write(3, '/api/v3/write_lp'),
    ...influxQuery(store, now),
    ...lineServices(store),
  ];
}
