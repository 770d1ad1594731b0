import type { ChildProcess } from 'node:child_process';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { urlOfEngines } from '../engine.ts';
import { startProcess } from '../server-process.ts';
import { type ClusterOf, clusterXml } from './cluster-configuration.ts';
import { type ClusterServer, serverName } from './cluster-server.ts';
import { type OnCluster, startFront } from './front.ts';
import { lostConnections } from './lost-connections.ts';
import { ownAddress } from './own-address.ts';
import { patchLibrary } from './patch-library.ts';
import { serveParts } from './serve-parts.ts';

/** A server of a cluster. */
export interface RunningServer {
  readonly child: ChildProcess;
  readonly onCluster: OnCluster;
  urlOf(database: string): string;
  /** Ends the process and waits until it is gone. */
  kill(): Promise<void>;
  /** Starts it again on the same folder, after a kill where it still runs. */
  restart(): Promise<void>;
}

/** What a server is configured with. */
export interface Configured {
  readonly xml: (own: ClusterServer, given: ClusterOf) => string;
  readonly env: (own: ClusterServer) => NodeJS.ProcessEnv;
}

export async function startServer(
  folder: string,
  own: ClusterServer,
  given: ClusterOf,
  configured: Configured = { xml: clusterXml, env: () => ({}) },
): Promise<RunningServer> {
  const onCluster: OnCluster = { said: [], deletesAreLate: false };

  async function start() {
    const running = await startProcess(
      {
        folder,
        port: own.http,
        configuration: `<tcp_port>${own.native}</tcp_port>${withOwnSession(configured.xml(own, given), own)}`,
        env: configured.env(own),
        statements: ['SYSTEM START LISTEN TCP'],
      },
      (pid) => patchLibrary(pid, [...ownAddress(own.parts), lostConnections]),
    );
    const servers: Server[] = [
      await serveParts(join(folder, 'data'), own.parts),
      await startFront(own, given.servers, onCluster),
    ];
    return { ...running, servers };
  }

  let running = await start();

  async function kill(): Promise<void> {
    for (const server of running.servers) {
      server.close();
      server.closeAllConnections();
    }
    await running.kill();
  }

  return {
    get child() {
      return running.child;
    },
    onCluster,
    urlOf: (database) => urlOfEngines([own.front], database),
    kill,
    async restart() {
      await kill();
      running = await start();
    },
  };
}

/** All have the same identity, that of a library, and would end each other's sessions. */
function withOwnSession(xml: string, own: ClusterServer): string {
  const path = `<sessions_path>/clickhouse/sessions/${serverName(own)}</sessions_path>`;
  return xml.replace('<zookeeper>', `<zookeeper>${path}`);
}
