import { localTable, type Migration, onCluster } from '../schema.ts';
import { windowBlocks } from './005-windows.ts';

/** Small blocks for tables that were made before `005-windows.ts` had them: parts that are written or merged from now on have them. */
export const windowBlockSizes: Migration = {
  number: 7,
  name: 'window blocks',
  statements: (topology) => [
    `ALTER TABLE ${localTable(topology, 'windows')}${onCluster(topology)} MODIFY SETTING ${windowBlocks}`,
  ],
};
