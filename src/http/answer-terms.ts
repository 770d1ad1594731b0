import type { AnswerTerms } from '../store/answers/answer.ts';
import type { QueryCall } from './watch-queries.ts';

/** Where rows that were read are counted. */
export interface RowsCounted {
  readonly rowsRead: { inc(rows: number): void };
}

/** On what terms a call has its answer made: its memory counts against the reservation of the call. */
export function answerTerms(
  { principal, reservation, signal, countRows }: QueryCall,
  metrics: RowsCounted,
): AnswerTerms {
  return {
    signal: signal(),
    owner: `${principal.workspace}/${principal.tokenId}`,
    countRows,
    countAnswered: (rows) => metrics.rowsRead.inc(rows),
    take: (bytes) => reservation.take(bytes),
  };
}
