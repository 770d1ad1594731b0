import type { Metrics } from '../metrics.ts';
import type { AnswerTerms } from '../store/answers/answer.ts';
import type { QueryCall } from './watch-queries.ts';

/** On what terms a call has its answer made: its memory counts against the reservation of the call. */
export function answerTerms(
  { principal, reservation, signal, countRows }: QueryCall,
  metrics: Pick<Metrics, 'rowsRead'>,
): AnswerTerms {
  return {
    signal: signal(),
    owner: `${principal.workspace}/${principal.tokenId}`,
    countRows,
    countAnswered: (rows) => metrics.rowsRead.inc(rows),
    take: (bytes) => reservation.take(bytes),
  };
}
