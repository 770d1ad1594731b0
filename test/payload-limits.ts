import { loadConfig } from '../src/config.ts';
import type { PayloadLimits } from '../src/wire/rows/payload-limits.ts';

/** The limits of a service that was started without settings. */
export const defaultPayloadLimits: PayloadLimits = loadConfig({ argv: [], env: {} });
