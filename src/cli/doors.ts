import { clientHelp } from './client.ts';
import type { Command } from './command.ts';
import { listOf } from './expected-answer.ts';
import { oneAnswer } from './one-answer.ts';
import { print } from './standard-output.ts';
import { renderTable } from './table.ts';

interface ListedDoor {
  readonly door: string;
  readonly addresses: readonly string[];
  readonly messages: number;
  readonly rows: number;
  readonly refused: Readonly<Record<string, number>>;
}

export const doorsCommand: Command = {
  name: 'doors',
  summary: 'list the protocols of other programs that the service speaks, and what came through each',
  help: () => `pitwall doors

A door takes what other programs write in their own protocol: Prometheus, OpenTelemetry, the line protocol of
InfluxDB, collectd, a Pushgateway, MQTT. It lists those that are open, with their addresses, and what came through each since
the service started; what was refused or left out stands below, by reason. It needs an admin token of the default
workspace. Where several nodes share ClickHouse, each counts its own.

${clientHelp}`,

  async run(argv) {
    const doors = await oneAnswer(argv, '/admin/doors', isDoorList);
    await print(renderTable([heading, ...doors.map(cellsOf)]));
    const refused = doors.flatMap(refusedOf);
    if (refused.length > 0)
      await print(`\n${renderTable([['DOOR', 'REFUSED OR LEFT OUT', 'COUNT'], ...refused])}`);
    return 0;
  },
};

const isDoorList = listOf<ListedDoor>({
  door: 'string',
  addresses: 'list',
  messages: 'number',
  rows: 'number',
});

const heading = ['DOOR', 'MESSAGES', 'ROWS', 'ADDRESSES'];

function cellsOf({ door, addresses, messages, rows }: ListedDoor): string[] {
  return [door, String(messages), String(rows), addresses.join(', ')];
}

function refusedOf({ door, refused = {} }: ListedDoor): string[][] {
  return Object.entries(refused).map(([reason, count]) => [door, reason, String(count)]);
}
