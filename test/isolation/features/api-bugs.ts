import * as v from 'valibot';
import { changed, givingItems, type SeededBug, rekeyed, worker } from '../bug-parts.ts';
import type { System } from '../system.ts';

const eventSchema = v.looseObject({ headers: v.looseObject({ authorization: v.string() }) });

/** A key of before is sent where its id is the same but its secret is not: as if the secret was not compared. */
function withoutSecrets(system: Parameters<NonNullable<SeededBug['system']>>[0]): typeof system {
  const valid = new Map<string, string>();
  return {
    ...system,
    api: async (event) => {
      const parsed = v.parse(eventSchema, event);
      const { authorization } = parsed.headers;
      const name = authorization.slice(0, -48);
      const known = {
        ...parsed,
        headers: { ...parsed.headers, authorization: valid.get(name) ?? authorization },
      };
      const response = await system.api(known);
      if (response.status !== 401 && !valid.has(name)) valid.set(name, authorization);
      return response;
    },
  };
}

type Webhooks = System['context']['integrations']['webhooks'];

/** Finds the address of the webhook that was looked up before this one. With its secret, nothing would be sent: that is encrypted for its own integration. */
function findPrevious(webhooks: Webhooks): Webhooks['find'] {
  let last: Awaited<ReturnType<Webhooks['find']>>;
  return async (...of) => {
    const webhook = await webhooks.find(...of);
    const before = last ?? webhook;
    last = webhook ?? last;
    return webhook && before && { ...before, sealed: webhook.sealed };
  };
}

/** Bugs of the API that a run must detect. */
export const API_BUGS: readonly SeededBug[] = [
  {
    name: 'integrations of all workspaces in one partition',
    ground: rekeyed((pk) => pk.replace(/^INTEGRATIONS#slack#.*/u, 'INTEGRATIONS#slack#T0PARLEY00')),
  },
  {
    name: 'requests of all integrations in one partition',
    ground: rekeyed((pk) => pk.replace(/^(API#slack#[^#]+)#.*/u, '$1#all')),
  },
  { name: 'the secret of an API key is not compared', system: withoutSecrets },
  {
    name: 'webhooks tell the answers of private channels',
    system: worker(() => ({ isPublicChannel: () => Promise.resolve(true) })),
  },
  {
    name: 'an integration is told at the address of another one',
    system: worker(({ integrations }) => {
      const { webhooks } = integrations;
      return {
        integrations: { ...integrations, webhooks: changed(webhooks, 'find', findPrevious(webhooks)) },
      };
    }),
  },
  {
    name: 'an integration may ask in every channel',
    ground: givingItems((item) => {
      const isOne = item['sk']?.S?.startsWith('INTEGRATION#') === true;
      const all = { L: ['C0SHARED00', 'G0SECRET00'].map((S) => ({ S })) };
      return isOne ? { ...item, channels: all } : item;
    }),
  },
  {
    name: 'a key works after its integration was removed',
    ground: (ground) => {
      const removed = new Map<string, Parameters<typeof ground.dynamo.put>[0]['Item']>();
      return {
        ...ground,
        dynamo: {
          ...ground.dynamo,
          delete: async (input) => {
            const { Item: item } = await ground.dynamo.get({ TableName: input.TableName, Key: input.Key });
            if (input.Key?.['sk']?.S?.startsWith('INTEGRATION#') === true)
              removed.set(JSON.stringify(input.Key), item);
            return ground.dynamo.delete(input);
          },
          get: async (input) => {
            const answer = await ground.dynamo.get(input);
            return answer.Item ? answer : { ...answer, Item: removed.get(JSON.stringify(input.Key)) };
          },
        },
      };
    },
  },
];
