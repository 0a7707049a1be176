import type { TaskResult } from '../../shared/domain/index.ts';
import type { Platform } from '../../shared/platforms/ports/index.ts';
import type { SlackCall } from '../../shared/platforms/slack/index.ts';
import type { Dynamo } from '../../shared/storage/index.ts';
import { ConditionFailedError } from '../../shared/storage/index.ts';

/** Bugs that the protocol must prevent. A simulation that does not detect one proves nothing. */
export type SeededBug =
  /** Writes are accepted from every worker, also from one that lost its lease. */
  | 'no fence'
  /** A recorded message is assumed to be queued. */
  | 'a recorded message is not queued again'
  /** The next worker does not search for the posts of the previous one. */
  | 'earlier posts are not searched'
  /** There are no reconcile passes. */
  | 'no reconcile pass'
  /** A recorded question is recorded again. */
  | 'a record is overwritten'
  /** The cost of a request is booked at each arrival. */
  | 'a cost is booked twice'
  /** Slack gets a 200 although the queue refused the task. */
  | 'a refused task is acknowledged'
  /** Only messages with the metadata of the turn are found after a worker died. */
  | 'streams without metadata are not found'
  /** A stream without a response may belong to any other answer. */
  | 'messages of another answer count as own'
  /** Data of a removed workspace stays where a deletion failed. */
  | 'a failed deletion counts as done'
  /** An event is dropped when Discord does not return its channel at that time. */
  | 'events of unknown channels are dropped'
  /** A call of a tool whose end is not known is made again. */
  | 'an interrupted call is repeated'
  /** A request to the API with a known idempotency key is stored as a new one. */
  | 'a repeated request of a program is asked again'
  /** A webhook that its receiver did not take is not sent again. */
  | 'a webhook is sent once only'
  /** What was in flight when a person was erased is not removed some minutes later. */
  | 'an erasure has no second pass'
  /** A document is found before all of it is stored. */
  | 'an unfinished document is found'
  /** Settings that cannot be read are those of nobody. */
  | 'without the table nothing is masked'
  /** A file that an earlier delivery posted is not searched. */
  | 'an earlier file is not searched'
  /** A canvas that an earlier delivery made is not searched. */
  | 'an earlier canvas is not searched'
  /** Where the table does not answer, nobody counts as erased. */
  | 'an erasure that cannot be read is ignored'
  /** A search that failed counts as one that found nothing. */
  | 'a failed search counts as empty'
  /** A redelivered summary is requested from the model again. */
  | 'a stored summary is requested again'
  /** A direct message whose post had no response is not searched. */
  | 'an earlier direct message is not searched';

export const SEEDED_BUGS: readonly SeededBug[] = [
  'no fence',
  'a recorded message is not queued again',
  'earlier posts are not searched',
  'no reconcile pass',
  'a record is overwritten',
  'a cost is booked twice',
  'a refused task is acknowledged',
  'streams without metadata are not found',
  'messages of another answer count as own',
  'a failed deletion counts as done',
  'events of unknown channels are dropped',
  'an interrupted call is repeated',
  'a repeated request of a program is asked again',
  'a webhook is sent once only',
  'an erasure has no second pass',
  'an unfinished document is found',
  'without the table nothing is masked',
  'an earlier file is not searched',
  'an earlier canvas is not searched',
  'an erasure that cannot be read is ignored',
  'a failed search counts as empty',
  'a stored summary is requested again',
  'an earlier direct message is not searched',
];

export const ignore = (): void => undefined;

/** The tables with the bug in their writes, if it is one of those. */
export function storeWith(mutant: SeededBug | undefined, store: Dynamo): Dynamo {
  if (mutant === 'no fence') return withoutFence(store);
  if (mutant === 'a record is overwritten')
    return { ...store, put: (input) => store.put({ ...input, ConditionExpression: undefined }) };
  if (mutant === 'a cost is booked twice')
    return withConditions(store, ['attribute_exists(#hold)', 'attribute_exists(pk)']);
  if (mutant === 'an interrupted call is repeated') return withRepeatedClaims(store);
  if (mutant === 'a repeated request of a program is asked again') return withoutCondition(store, 'API#');
  if (mutant === 'an unfinished document is found') return withReadyDocuments(store);
  if (mutant === 'an earlier file is not searched' || mutant === 'an earlier canvas is not searched')
    return withoutSentFiles(store);
  return store;
}

/** The tables as a process sees them, with the bug in its handling of what cannot be read, if it is one of those. */
export function tablesWith(mutant: SeededBug | undefined, tables: Dynamo): Dynamo {
  if (mutant === 'without the table nothing is masked')
    return { ...tables, get: (input) => orNothing(input, tables, 'SETTINGS#') };
  if (mutant === 'an erasure that cannot be read is ignored')
    return { ...tables, get: (input) => orNothing(input, tables, 'ERASED#') };
  if (mutant === 'a stored summary is requested again')
    return {
      ...tables,
      get: (input) => (input.Key?.['sk']?.S?.startsWith('DRAFT#') ? Promise.resolve({}) : tables.get(input)),
    };
  return tables;
}

/** The response of Slack, with the bug in its handling, if it is one of those. */
export const slackCallWith = (
  mutant: SeededBug | undefined,
  method: string,
  response: ReturnType<SlackCall>,
): ReturnType<SlackCall> =>
  mutant === 'an earlier direct message is not searched' && method === 'conversations.history'
    ? response.then(() => ({ ok: true, messages: [] }))
    : response;

/** The same for Discord. */
export function discordCallWith(
  mutant: SeededBug | undefined,
  request: string,
  response: Promise<unknown>,
): Promise<unknown> {
  if (mutant === 'events of unknown channels are dropped' && request.startsWith('GET '))
    return response.catch(ignore);
  if (mutant === 'a failed search counts as empty' && request.includes('/messages/search'))
    return response.catch(() => ({ messages: [] }));
  return response;
}

const orNothing: (
  input: Parameters<Dynamo['get']>[0],
  tables: Dynamo,
  prefix: string,
) => ReturnType<Dynamo['get']> = (input, tables, prefix) =>
  input.Key?.['pk']?.S?.startsWith(prefix) ? tables.get(input).catch(() => ({})) : tables.get(input);

/** Each document counts as complete. */
const withReadyDocuments = (store: Dynamo): Dynamo => ({
  ...store,
  put: (input) =>
    store.put(input.Item?.['ready'] ? { ...input, Item: { ...input.Item, ready: { BOOL: true } } } : input),
});

/** What becomes of a task, with the bug, if it is one of those. */
export const verdictWith = (mutant: SeededBug | undefined, body: string, verdict: TaskResult): TaskResult =>
  (mutant === 'a webhook is sent once only' && body.includes('"kind":"webhook"')) ||
  (mutant === 'an erasure has no second pass' && body.includes('"secondPass"'))
    ? { kind: 'done' }
    : verdict;

/** Items of these partitions are stored whatever is there. */
const withoutCondition = (store: Dynamo, partition: string): Dynamo => ({
  ...store,
  put: (input) =>
    store.put(
      input.Item?.['pk']?.S?.startsWith(partition) ? { ...input, ConditionExpression: undefined } : input,
    ),
});

/** The ids of uploaded files are not recorded. */
const withoutSentFiles = (store: Dynamo): Dynamo => ({
  ...store,
  update: (input) =>
    input.UpdateExpression?.includes('ADD files :files') ? Promise.resolve({}) : store.update(input),
});

function withConditions(store: Dynamo, [is, becomes]: readonly [string, string]): Dynamo {
  return {
    ...store,
    update: (input) =>
      store.update({ ...input, ConditionExpression: input.ConditionExpression?.replace(is, becomes) }),
  };
}

/** A press that is delivered again claims its call again. */
const withRepeatedClaims = (store: Dynamo): Dynamo => ({
  ...store,
  update: (input) =>
    store.update(
      input.UpdateExpression?.startsWith('SET #state = :state, claim = :claim')
        ? { ...input, ConditionExpression: `${input.ConditionExpression} OR claim = :claim` }
        : input,
    ),
});

/** Slack with the bug in the search for messages, if it is one of those. */
export function platformWith(mutant: SeededBug | undefined, platform: Platform): Platform {
  if (mutant === 'earlier posts are not searched')
    return { ...platform, findOrphanedMessages: () => Promise.resolve({ ofTurn: [], unattributed: [] }) };
  if (mutant === 'streams without metadata are not found')
    return {
      ...platform,
      findOrphanedMessages: async (turn) => ({
        ...(await platform.findOrphanedMessages(turn)),
        unattributed: [],
      }),
    };
  if (mutant === 'messages of another answer count as own')
    return {
      ...platform,
      reply: (turn, existing, about) => platform.reply(turn, existing, { ...about, others: undefined }),
    };
  return platform;
}

function withoutFence(store: Dynamo): Dynamo {
  return {
    ...store,
    update: (input) =>
      store.update(
        input.ConditionExpression?.includes(':fence')
          ? { ...input, ConditionExpression: 'attribute_exists(pk) OR fence = :fence' }
          : input,
      ),
  };
}

/** Calls `onRecord` when a put fails because the record exists. */
export function onDuplicatePut(store: Dynamo, onRecord: () => void): Dynamo {
  return {
    ...store,
    put: async (input) => {
      try {
        await store.put(input);
      } catch (error) {
        if (error instanceof ConditionFailedError) onRecord();
        throw error;
      }
    },
  };
}
