import { localTable, type Migration, onCluster } from '../schema.ts';
import { windowTtl } from './007-windows.ts';

/** Deletes that do not expire, for tables that schema 7 made. Parts learn of it as they are merged. */
export const deletesStay: Migration = {
  number: 9,
  name: 'window TTL',
  statements: (topology) => [
    `ALTER TABLE ${localTable(topology, 'windows')}${onCluster(topology)} MODIFY TTL ${windowTtl} SETTINGS materialize_ttl_after_modify = 0`,
  ],
};
