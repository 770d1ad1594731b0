import { describe } from 'node:test';
import { launchReplicas } from '../e2e/replicas-cluster.ts';
import { adminToken, isOnClickHouse } from '../e2e/service.ts';
import { natsMissing } from '../live/nats-server.ts';
import { type StartTarget, testConformance } from './conformance.ts';
import { readScripts } from './script.ts';

/** Three replicas: each request asks one of them at random. Ended are a node and a server of the log at a time. */
const startThree: StartTarget = async (settings) => {
  const flags = new Map([['interrupted-after', '1h'], ...settings]);
  const cluster = await launchReplicas({ args: [...flags].map(([name, value]) => `--${name}=${value}`) });
  await cluster.even();
  let turn = 0;
  return {
    get url() {
      return cluster.nodes[Math.floor(Math.random() * cluster.nodes.length)]!.url;
    },
    adminToken,
    seen: undefined,
    async restart(signal) {
      const [node, server] = [cluster.nodes[turn % 3]!, cluster.servers[turn % 3]!];
      turn++;
      await Promise.all([node.stop(signal), server.stop(signal)]);
      await Promise.all([server.start(), node.start()]);
      for (const one of cluster.nodes) await one.takesWrites();
      await cluster.even();
    },
    stop: () => cluster.stop(),
  };
};

/** What is told once by each process. */
const toldOnce = /^writer\/(times-in-another-unit|rows-ahead-of-the-clock)-are-warned-of$/;

describe('three replicas, asked at random', { skip: natsMissing || isOnClickHouse }, () => {
  testConformance(
    readScripts().filter(({ name, stores }) => stores.includes('embedded') && !toldOnce.test(name)),
    startThree,
  );
});
