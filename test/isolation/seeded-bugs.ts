import { channelId, type TurnRef, userId } from '../../shared/domain/index.ts';
import type { Jobs, Turns } from '../../shared/storage/index.ts';
import { getField } from '../../shared/storage/dynamodb/json-protocol.ts';
import { ACTOR } from './access-checker.ts';
import { changed, givingItems, rekeyed, type SeededBug, worker } from './bug-parts.ts';
import { resignedForSlack } from './signing.ts';
import { VISITOR } from './slack-tenants.ts';
import { secretOf } from './video-service.ts';

/** The turns, and those with another retention, with that change. */
const changedTurns = (turns: Turns, change: (of: Turns) => Turns): Turns =>
  changed(change(turns), 'withRetention', (days) => changedTurns(turns.withRetention(days), change));

/** Searches the thread of the previous search. */
function searchElsewhere(turns: Turns): Turns['search'] {
  let last: TurnRef | undefined;
  return (turn, query, limit) => {
    const before = last ?? turn;
    last = turn;
    return turns.search(before, query, limit);
  };
}

/** Names the person who acts as the one who started the thread. */
const findActorAsStarter =
  (turns: Turns): Turns['findThreadStarter'] =>
  async (thread) => {
    const user = ACTOR.getStore()?.user;
    const starter = await turns.findThreadStarter(thread);
    return starter && user !== undefined ? userId(user) : starter;
  };

/** Finds each job as one of the actor. */
const findForAnybody =
  (jobs: Jobs): Jobs['find'] =>
  async (id) => {
    const job = await jobs.find(id);
    const user = ACTOR.getStore()?.user;
    return job && user !== undefined ? { ...job, by: { ...job.by, user: userId(user) } } : job;
  };

const eventOf = (event: unknown): object => (typeof event === 'object' && event !== null ? event : {});

const ONE = 'T0PARLEY00';
const OTHER_CHANNEL = channelId('C0SHARED00');

/** Budgets and lists of blocked people as changed by this. */
const withBook = (change: (book: string) => string): NonNullable<SeededBug['ground']> =>
  givingItems((item) => {
    const { book } = item;
    return book?.S === undefined ? item : { ...item, book: { S: change(book.S) } };
  });

export const SEEDED_BUGS: readonly SeededBug[] = [
  {
    name: 'one token for all workspaces',
    ground: (ground) => ({
      ...ground,
      webCall: (config) => ground.webCall({ ...config, token: async () => 'xoxb-of-0' }),
    }),
  },
  {
    name: 'settings of all workspaces in one partition',
    ground: rekeyed((pk) => pk.replace(/^SETTINGS#slack#.*/u, `SETTINGS#slack#${ONE}`)),
  },
  {
    name: 'chats without a guild share settings',
    ground: rekeyed((pk) => pk.replace(/^(SETTINGS#discord#@me)#.*/u, '$1#101000000000000001')),
  },
  {
    name: 'one API key for all workspaces',
    ground: rekeyed((pk) => pk.replace(/^OWNKEY#slack#.*/u, `OWNKEY#slack#${ONE}`)),
  },
  {
    name: 'accounts without their workspace',
    ground: rekeyed((pk) => pk.replace(/^ACCOUNT#slack#.*/u, `ACCOUNT#slack#${ONE}`)),
  },
  {
    name: 'threads without their workspace',
    ground: rekeyed((pk) => pk.replace(/^slack#[^#]+#/u, `slack#${ONE}#`)),
  },
  {
    name: 'all threads of a channel are one conversation',
    ground: rekeyed((pk) => pk.replace(/^(slack#[^#]+#[^#]+)#.*/u, '$1#1')),
  },
  {
    name: 'everybody is an administrator',
    system: worker(({ userProfile: people }) => ({
      userProfile: async (of, user) => ({ ...(await people?.(of, user)), admin: true }),
    })),
  },
  {
    name: 'a guest who is an administrator at home is one here',
    system: worker(({ userProfile: people }) => ({
      userProfile: async (of, user) => ({
        ...(await people?.(of, user)),
        ...(user === VISITOR && { admin: true }),
      }),
    })),
  },
  {
    name: 'everybody may forget a thread',
    system: worker(({ turns }) => ({
      turns: changedTurns(turns, (of) => changed(of, 'findThreadStarter', findActorAsStarter(of))),
    })),
  },
  {
    name: 'ephemeral responses are public',
    system: worker(({ messenger: stage }) => ({
      messenger: { ...stage, respond: (interaction, card) => stage.respond(interaction, card, true) },
    })),
  },
  {
    name: 'a summary reads another channel',
    system: worker(({ platform }) => ({
      platform: {
        ...platform,
        readHistory: (place, range) => platform.readHistory({ ...place, channel: OTHER_CHANNEL }, range),
      },
    })),
  },
  {
    name: 'everybody may regenerate an answer',
    ground: (ground) => ({
      ...ground,
      cloud: (tables) => {
        const aws = ground.cloud(tables);
        return (operation) =>
          aws(operation.service === 'sqs' ? { ...operation, input: asAsker(operation.input) } : operation);
      },
    }),
  },
  {
    name: 'ephemeral responses are public in Discord',
    system: (system) => ({
      ...system,
      discord: async (event) => {
        const answer = await system.discord(event);
        return { ...answer, body: answer.body.replaceAll('"flags":64', '"flags":0') };
      },
    }),
  },
  {
    name: 'a blocked person may ask',
    ground: withBook((book) => book.replace(/"blocked":\[[^\]]*\]/u, '"blocked":[]')),
  },
  {
    name: 'a budget of no requests is no limit',
    ground: withBook((book) => book.replaceAll('"requests":0', '"requests":99')),
  },
  {
    name: 'other bots count as people',
    system: (system, now) => ({
      ...system,
      slack: (event) => {
        const body = String(getField(event, 'body'));
        if (!body.includes('"bot_id"') || typeof event !== 'object') return system.slack(event);
        const ofPerson = body.replaceAll(/,"bot_id":"[^"]*"/gu, '');
        return system.slack(resignedForSlack({ ...event, body: ofPerson }, now()));
      },
    }),
  },
  {
    name: 'a search reads the thread of the previous search',
    system: worker(({ turns }) => {
      const search = searchElsewhere(turns);
      return { turns: changedTurns(turns, (of) => changed(of, 'search', search)) };
    }),
  },
  {
    name: 'locks of the deployment are ignored',
    system: worker(({ settings }) => ({ settings: { ...settings, layers: {} } })),
  },
  {
    name: 'recordings of all workspaces in one partition',
    ground: rekeyed((pk) => pk.replace(/^(VOICE#slack)#[^#]+#/u, `$1#${ONE}#`)),
  },
  {
    name: 'every video belongs to everybody',
    system: worker(({ videos }) => ({
      videos: videos.enabled
        ? { ...videos, jobs: changed(videos.jobs, 'find', findForAnybody(videos.jobs)) }
        : videos,
    })),
  },
  {
    name: 'a blocked person has videos made',
    system: worker(({ budgets }) => ({
      budgets: changed(budgets, 'reserveFixedPrice', (request) =>
        budgets.reserveFixedPrice({ ...request, person: userId('nobody') }),
      ),
    })),
  },
  {
    name: 'a callback is accepted without its secret',
    system: (system) => ({
      ...system,
      callback: (event) => {
        const job = String(getField(getField(event, 'pathParameters'), 'job'));
        return system.callback({ ...eventOf(event), pathParameters: { job, secret: secretOf(job) } });
      },
    }),
  },
  {
    name: 'each update of a message counts as an edit',
    system: (system, now) => ({
      ...system,
      gateway: (t, d) =>
        system.gateway(
          t,
          t === 'MESSAGE_UPDATE' ? { ...eventOf(d), edited_timestamp: new Date(now()).toISOString() } : d,
        ),
    }),
  },
  {
    name: 'Slack signatures are not verified',
    system: (system, now) => ({ ...system, slack: (event) => system.slack(resignedForSlack(event, now())) }),
  },
];

/** The task of a regeneration, with the asker as its requester. */
function asAsker(input: string): string {
  const message: unknown = JSON.parse(input);
  const task: unknown = JSON.parse(String(getField(message, 'MessageBody')));
  if (getField(task, 'kind') !== 'redo' || typeof task !== 'object' || typeof message !== 'object')
    return input;
  return JSON.stringify({
    ...message,
    MessageBody: JSON.stringify({ ...task, by: getField(task, 'asker') }),
  });
}
