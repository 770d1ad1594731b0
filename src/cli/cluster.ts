import { clientHelp } from './client.ts';
import type { Command } from './command.ts';
import { objectOf } from './expected-answer.ts';
import { oneAnswer } from './one-answer.ts';
import { print } from './standard-output.ts';
import { renderTable } from './table.ts';

interface ToldReplicas {
  readonly node: string;
  readonly generation: number;
  readonly sequence: number;
  readonly behind: number;
  readonly leaseHolder?: string;
  readonly leader?: string;
  readonly servers: readonly { readonly name: string; readonly isCurrent: boolean }[];
  readonly nodes: readonly {
    readonly node: string;
    readonly sequence: number;
    readonly isCaughtUp: boolean;
    readonly heardMs: number;
  }[];
  readonly problems: readonly string[];
}

export const clusterCommand: Command = {
  name: 'cluster',
  summary: 'how far each of several replicas is with the log that they share',
  help: () => `pitwall cluster

Tells of the nodes that were started with --replicas, as the node that is asked has heard of them: the last message of
the log that each has applied, whether it takes writes, and who does what one at a time does (webhooks, rules for
silence). Then the servers of NATS that keep the log. It needs an admin token of the default workspace.

${clientHelp}`,

  async run(argv) {
    const told = await oneAnswer(argv, '/admin/replicas', isTold);
    await print(renderTable([nodeHeading, ...nodesOf(told)]));
    await print(`\n${renderTable([serverHeading, ...serversOf(told)])}`);
    if (told.generation > 1)
      await print(`\nthe log lost messages and began anew: this is generation ${told.generation}`);
    for (const problem of told.problems) await print(`\n${told.node}: ${problem}`);
    return 0;
  },
};

const isTold = objectOf<ToldReplicas>({
  node: 'string',
  sequence: 'number',
  nodes: 'list',
  servers: 'list',
  problems: 'list',
});

const nodeHeading = ['NODE', 'APPLIED', 'WRITES', 'LEASE', 'HEARD'];

function nodesOf({ nodes, leaseHolder }: ToldReplicas): string[][] {
  return nodes.map(({ node, sequence, isCaughtUp, heardMs }) => [
    node,
    String(sequence),
    isCaughtUp ? 'taken' : 'not taken',
    node === leaseHolder ? 'has it' : '',
    heardMs < 3000 ? 'now' : `${Math.round(heardMs / 1000)} s ago`,
  ]);
}

const serverHeading = ['SERVER OF THE LOG', 'LEADS', 'STATE'];

function serversOf({ servers, leader }: ToldReplicas): string[][] {
  return servers.map(({ name, isCurrent }) => [
    name,
    name === leader ? 'leads' : '',
    isCurrent ? 'current' : 'behind, or away',
  ]);
}
