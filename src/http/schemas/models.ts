import * as listings from './listings.ts';
import * as readData from './read-data.ts';
import * as service from './service.ts';
import * as streams from './streams.ts';
import * as writtenData from './written-data.ts';

/** Every model of the contract by its name: the components of the OpenAPI document. */
export const models = { ...writtenData, ...streams, ...listings, ...readData, ...service };
