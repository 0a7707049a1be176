import { createHash } from 'node:crypto';
import {
  channelId,
  isFailureReason,
  messageId,
  type RegenerateTask,
  type Thread,
  workspaceId,
} from '../../../shared/domain/index.ts';
import type { FoundTurn } from '../../../shared/storage/index.ts';
import { type LogRecord, textFact } from '../../dashboard/index.ts';
import { findPlace, type ReadLogs } from '../operator/read-logs.ts';
import type { DeadLetter } from './dead-letter.ts';

/** A question whose outcome is an error. `task` answers it again in place, as the button Regenerate does. */
export type FailedQuestion = {
  readonly letter: DeadLetter;
  readonly task: RegenerateTask;
  readonly outcome: Failure;
};

export type FailedQuestionSources = {
  readonly readLogs: ReadLogs;
  readonly findTurn: (thread: Thread, message: string) => Promise<FoundTurn | undefined>;
  /** The workspace of Slack's events that are logged without it, as by earlier versions. */
  readonly slackTeam: () => Promise<string | undefined>;
};

export type FailedQuestions = {
  readonly questions: readonly FailedQuestion[];
  /** Failed answers whose question no log line names, or of which nothing is stored. */
  readonly unnamed: number;
  /** There are more: only the first `MAX_QUESTIONS` that failed in this time are in the list. */
  readonly isCut: boolean;
};

/** More than a person looks through. */
export const MAX_QUESTIONS = 200;

/**
 * Finds the questions that failed in this time (ms since 1970) and have no answer since, in the order in which they were asked. At most `MAX_QUESTIONS`,
 * those that failed first: once they are answered, they are out of the list, and the next ones are found.
 */
export async function findFailedQuestions(
  range: { readonly fromMs: number; readonly untilMs: number },
  { readLogs, findTurn, slackTeam }: FailedQuestionSources,
): Promise<FailedQuestions> {
  const ended = await readLogs({ ...range, anyOf: [['kind', 'failed']] });
  const failures = ended.records.filter(
    (record) => record.event === 'answer.ended' && isFailureReason(textFact(record, 'reason')),
  );
  // A question that a worker gave up has no metrics: its failure notice is a task of its own.
  const letters = await readLogs({ ...range, anyOf: [['event', 'task.dead-lettered']] });
  const givenUp = letters.records.filter((record) => textFact(record, 'kind') === 'ask');
  const inOrder = [...failures, ...givenUp].toSorted((a, b) => a.at - b.at);
  const traces = [...new Set(inOrder.flatMap((record) => record.trace ?? []))];
  const questions = new Map<string, FailedQuestion>();
  let unnamed = 0;
  for (let from = 0; from < traces.length && questions.size <= MAX_QUESTIONS; from += MAX_QUESTIONS) {
    const part = traces.slice(from, from + MAX_QUESTIONS);
    const anyOf = part.map((trace) => ['trace', trace] as const);
    const { records } = await readLogs({ ...range, anyOf });
    for (const trace of part) {
      const place = findPlace(records.filter((record) => record.trace === trace && isNaming(record)));
      const thread = place && (await toThread(place, slackTeam));
      const known = thread && (await findTurn(thread, textFact(place, 'message') ?? ''));
      if (!known) unnamed += 1;
      else if (isFailed(known)) questions.set(known.turn.message, toFailedQuestion(known, trace));
    }
  }
  const first = [...questions.values()].slice(0, MAX_QUESTIONS);
  return {
    questions: first.toSorted((a, b) => a.letter.at - b.letter.at),
    unnamed,
    isCut: questions.size > MAX_QUESTIONS,
  };
}

const isNaming = (record: LogRecord): boolean =>
  ['channel', 'root', 'message'].every((name) => textFact(record, name) !== undefined);

async function toThread(
  record: LogRecord,
  slackTeam: () => Promise<string | undefined>,
): Promise<Thread | undefined> {
  const platform = textFact(record, 'platform') === 'discord' ? 'discord' : 'slack';
  const workspace = textFact(record, 'workspace') ?? (platform === 'slack' ? await slackTeam() : undefined);
  if (workspace === undefined) return undefined;
  return {
    platform,
    workspace: workspaceId(workspace),
    channel: channelId(textFact(record, 'channel') ?? ''),
    root: messageId(textFact(record, 'root') ?? ''),
  };
}

type Failure = Extract<NonNullable<FoundTurn['content']>['outcome'], { kind: 'failed' }>;
type FailedTurn = FoundTurn & { readonly content: { readonly outcome: Failure } };

/** Whether people see an error in place of the answer. */
const isFailed = (turn: FoundTurn): turn is FailedTurn =>
  turn.content?.outcome.kind === 'failed' && isFailureReason(turn.content.outcome.reason) && !turn.mergedInto;

function toFailedQuestion({ turn, content: { outcome } }: FailedTurn, trace: string): FailedQuestion {
  const { thread, message, asker } = turn;
  const { platform, workspace, channel, root } = thread;
  const letter: DeadLetter = {
    id: message,
    source: 'failed question',
    kind: 'ask',
    thread: `${platform}#${workspace}#${channel}#${root}`,
    at: outcome.timings?.[0] ?? 0,
    reason: [outcome.reason, outcome.failure?.status, outcome.failure?.code].filter(Boolean).join(', '),
    trace,
  };
  // The same until it is answered again, so that a repeated command does not answer it twice.
  const version = createHash('sha256').update(JSON.stringify(outcome)).digest('hex').slice(0, 16);
  const key = `redrive-${version}`;
  const change = { kind: 'regenerate' as const };
  return { letter, task: { v: 1, kind: 'redo', round: 0, ...turn, key, by: asker, change }, outcome };
}
