import { localTable, type Migration, onCluster } from '../schema.ts';
import { windowTtl } from './005-windows.ts';

/** Deletes that do not expire, for tables that an earlier form of schema 5 made. Parts learn of it as they are merged. */
export const deletesStay: Migration = {
  number: 9,
  name: 'window TTL',
  statements: (topology) => [
    `ALTER TABLE ${localTable(topology, 'windows')}${onCluster(topology)} MODIFY TTL ${windowTtl} SETTINGS materialize_ttl_after_modify = 0`,
  ],
};
