import { histogramsOf } from './histograms.ts';
import { statistics } from './range-statistics.ts';

export const histograms = histogramsOf(statistics);
