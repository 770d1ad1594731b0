import { clientHelp, clientOptions, createClient } from './client.ts';
import { type Command, readArguments, UsageError } from './command.ts';
import { listOf } from './expected-answer.ts';
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
    const { values, positionals } = readArguments(argv, clientOptions);
    if (positionals.length > 0) throw new UsageError(`there is a word too many: '${positionals[0]}'`);
    const client = createClient(values, process.env);
    try {
      const doors = await client.call('GET', '/admin/doors', undefined, isDoorList);
      await print(renderTable([heading, ...doors.map(cellsOf)]));
      const refused = doors.flatMap(refusedOf);
      if (refused.length > 0)
        await print(`\n${renderTable([['DOOR', 'REFUSED OR LEFT OUT', 'COUNT'], ...refused])}`);
      return 0;
    } finally {
      client.close();
    }
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
