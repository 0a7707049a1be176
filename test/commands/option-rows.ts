import { type Given, PERSON } from './option-world.ts';

/** One option, or one choice of one: a call that gives it, and what it promises. */
export type Row = {
  readonly given: Given;
  /** Calls before it, as typed in Slack, with what Discord is given. */
  readonly before?: readonly (readonly [command: string, given: Given])[];
  /** The same in Slack without the names of options. */
  readonly typed?: string;
  /** What is then shown or changed; on Slack, where it promises something else there. */
  readonly promises: RegExp;
  readonly onSlack?: RegExp;
  /** The same call without the option comes to the same: it is what counts anyway. */
  readonly usual?: true;
};

const SCHEMA = '{"type":"object","properties":{"title":{"type":"string"}}}';
const PIRATE = ['persona', { do: 'save', name: 'pirate', text: 'You are a pirate.' }] as const;
const BUG = ['schema', { do: 'save', name: 'bug', text: SCHEMA }] as const;
const BUDGET = ['quota', { do: 'set', for: 'person', amount: '$5/day' }] as const;
const NOWHERE = /call me in the channel or thread that is meant/u;
/** Slack's commands do not say in which thread they were typed. */
const NO_THREAD = /This needs a thread\. Call it there, or from the menu of a message/u;
const level = (given: Given, value: string): Readonly<Record<string, Row>> => ({
  me: {
    given: { ...given, for: 'me' },
    promises: new RegExp(`"person":\\{"values":\\{"\\w+":"${value}"`, 'u'),
    usual: true,
  },
  thread: {
    given: { ...given, for: 'thread' },
    promises: new RegExp(`"thread":\\{"values":\\{"\\w+":"${value}"`, 'u'),
    onSlack: NOWHERE,
  },
  channel: {
    given: { ...given, for: 'channel' },
    promises: new RegExp(`"channel":\\{"values":\\{"\\w+":"${value}"`, 'u'),
  },
  workspace: {
    given: { ...given, for: 'workspace' },
    promises: new RegExp(`"workspace":\\{"values":\\{"\\w+":"${value}"`, 'u'),
  },
});

/** By command, option, and choice where it has such. A test holds that each one of the specs has a row. */
export const ROWS: Readonly<Record<string, Row | Readonly<Record<string, Row>>>> = {
  'animate image': { given: { image: '71', prompt: 'Waves.' }, promises: /"kind":"video"/u },
  'animate prompt': { given: { prompt: 'list' }, typed: 'animate list', promises: /You have no videos/u },
  'ask question': {
    given: { question: 'What is a fjord?' },
    typed: 'ask What is a fjord?',
    promises: /question[^}]*What is a fjord\?/u,
  },
  'ask private': {
    given: { question: 'Why?', private: true },
    promises: /flags.*:64|An answer\.[^}]*\}\]\},"openly":false/u,
  },
  'ask model': { given: { question: 'Why?', model: 'big' }, promises: /model\W+big/u },
  'ask schema': {
    given: { question: 'Why?', schema: 'bug' },
    before: [BUG],
    promises: /"title":"bug".*Filled/u,
  },
  'ask attachment': {
    given: { question: 'Why?', attachment: '71' },
    promises: /files[^}]*cdn\.discordapp\.com/u,
  },
  'export what': {
    me: { given: { what: 'me' }, typed: 'export me', promises: /"kind":"export".*"person"/u, usual: true },
    thread: {
      given: { what: 'thread' },
      typed: 'export thread',
      promises: /"kind":"export".*"thread"/u,
      onSlack: NO_THREAD,
    },
  },
  'feedback weeks': { given: { weeks: 1 }, typed: 'feedback 1', promises: /👍 0 · 👎 1/u },
  'feedback rating': {
    good: { given: { rating: 'good' }, typed: 'feedback good', promises: /👍 1 · 👎 0/u },
    bad: { given: { rating: 'bad' }, typed: 'feedback bad', promises: /👍 0 · 👎 1/u },
  },
  'feedback model': { given: { model: 'big' }, promises: /👍 1 · 👎 0/u },
  'feedback here': { given: { here: true }, promises: /👍 0 · 👎 1/u },
  'feedback csv': { given: { csv: true }, promises: /feedback-[\d-]+\.csv/u },
  'forget what': {
    me: { given: { what: 'me' }, typed: 'forget me', promises: /forget\.me/u },
    thread: {
      given: { what: 'thread' },
      typed: 'forget thread',
      promises: /forget\.thread/u,
      onSlack: NO_THREAD,
    },
    message: {
      given: { what: 'message' },
      typed: 'forget message',
      promises: /forget\.message/u,
      onSlack: NO_THREAD,
    },
  },
  'help command': { given: { command: 'model' }, typed: 'help model', promises: /See and choose the model/u },
  'model model': {
    given: { model: 'big' },
    typed: 'model big',
    promises: /"person":\{"values":\{"model":"big"/u,
  },
  'model for': level({ model: 'big' }, 'big'),
  'model takes': Object.fromEntries(
    ['image', 'audio', 'video', 'tools', 'reasoning'].map((takes) => [
      takes,
      { given: { takes }, promises: /"markdown":"- `big`[^"]*"/u },
    ]),
  ),
  'model below': { given: { below: 0.5 }, promises: /"markdown":"- `usual`[^"\n`]*"/u },
  'persona do': {
    list: { given: { do: 'list' }, typed: 'persona list', promises: /None is saved yet/u, usual: true },
    show: {
      given: { do: 'show', name: 'pirate' },
      typed: 'persona show pirate',
      before: [PIRATE],
      promises: /"title":"pirate"/u,
    },
    save: {
      given: { do: 'save', name: 'pirate', text: 'Arr.' },
      typed: 'persona save pirate Arr.',
      promises: /"name":"pirate","text":"Arr\."/u,
    },
    use: {
      given: { do: 'use', name: 'pirate' },
      typed: 'persona use pirate',
      before: [PIRATE],
      promises: /"person":\{"values":\{"persona":"pirate"/u,
    },
    remove: {
      given: { do: 'remove', name: 'pirate' },
      typed: 'persona remove pirate',
      before: [PIRATE],
      promises: /is removed.*"saved":\[\[\]/u,
    },
  },
  'persona name': {
    given: { do: 'save', name: 'pirate' },
    typed: 'persona save pirate',
    promises: /pirate/u,
  },
  'persona text': { given: { do: 'save', name: 'pirate', text: 'Arr.' }, promises: /"text":"Arr\."/u },
  'persona for': Object.fromEntries(
    Object.entries(level({ do: 'use', name: 'pirate' }, 'pirate')).map(([of, row]) => [
      of,
      { ...row, before: [PIRATE] },
    ]),
  ),
  'quota do': {
    show: { given: { do: 'show' }, typed: 'quota show', promises: /No budgets are set/u, usual: true },
    set: {
      given: { do: 'set', amount: '$5/day' },
      typed: 'quota set $5/day',
      promises: /"rules":\[\{"scope":"person"/u,
    },
    drop: { given: { do: 'drop' }, typed: 'quota drop', before: [BUDGET], promises: /No budgets are set/u },
    grant: {
      given: { do: 'grant', amount: '$2' },
      typed: 'quota grant $2',
      promises: /"grants":\[\{"scope":"person"/u,
    },
    block: {
      given: { do: 'block', who: PERSON },
      typed: 'quota block @grace',
      promises: /"blocked":\["(?:U0GRACE000|42)"\]/u,
    },
    unblock: {
      given: { do: 'unblock', who: PERSON },
      typed: 'quota unblock @grace',
      before: [['quota', { do: 'block', who: PERSON }]],
      promises: /"blocked":\[\]/u,
    },
    reset: { given: { do: 'reset' }, typed: 'quota reset', promises: /It begins anew/u },
    zone: {
      given: { do: 'zone', amount: 'Europe/Berlin' },
      typed: 'quota zone Europe/Berlin',
      promises: /"zone":"Europe\/Berlin"/u,
    },
  },
  'quota for': {
    person: {
      given: { do: 'set', for: 'person', amount: '5/day' },
      typed: 'quota set person 5/day',
      promises: /"scope":"person"/u,
      usual: true,
    },
    channel: {
      given: { do: 'set', for: 'channel', amount: '5/day' },
      typed: 'quota set channel 5/day',
      promises: /"scope":"channel"/u,
    },
    workspace: {
      given: { do: 'set', for: 'workspace', amount: '5/day' },
      typed: 'quota set workspace 5/day',
      promises: /"scope":"workspace"/u,
    },
  },
  'quota amount': { given: { do: 'set', amount: '7/week' }, promises: /"period":"week","requests":7/u },
  'quota who': {
    given: { do: 'set', amount: '5/day', who: PERSON },
    typed: 'quota set 5/day @grace',
    promises: /"of":"(?:U0GRACE000|42)"/u,
  },
  'quota here': {
    given: { do: 'set', amount: '5/day', here: true },
    promises: /"scope":"channel","of":"(?:C\w+|31)"/u,
  },
  'schema do': {
    list: { given: { do: 'list' }, typed: 'schema list', promises: /None is saved yet/u, usual: true },
    show: {
      given: { do: 'show', name: 'bug' },
      typed: 'schema show bug',
      before: [BUG],
      promises: /"title":"bug"/u,
    },
    save: {
      given: { do: 'save', name: 'bug', text: SCHEMA },
      typed: `schema save bug ${SCHEMA}`,
      promises: /"name":"bug","text":/u,
    },
    remove: {
      given: { do: 'remove', name: 'bug' },
      typed: 'schema remove bug',
      before: [BUG],
      promises: /is removed/u,
    },
  },
  'schema name': { given: { do: 'save', name: 'bug' }, typed: 'schema save bug', promises: /bug/u },
  'schema text': {
    given: { do: 'save', name: 'bug', text: SCHEMA },
    typed: `schema save bug ${SCHEMA}`,
    promises: /"name":"bug","text":/u,
  },
  'settings name': {
    given: { name: 'temperature' },
    typed: 'settings temperature',
    promises: /settings\.write\W+me\W+temperature|temperature/u,
  },
  'settings value': {
    given: { name: 'reasoning', value: 'full' },
    typed: 'settings reasoning full',
    promises: /"person":\{"values":\{"reasoning":"full"/u,
  },
  'settings for': level({ name: 'reasoning', value: 'full' }, 'full'),
  'settings lock': {
    given: { name: 'model', for: 'workspace', lock: 'too dear' },
    promises: /"locks":\{"model":\{"reason":"too dear"/u,
  },
  'summarise period': {
    yesterday: {
      given: { period: 'yesterday' },
      typed: 'summarise yesterday',
      promises: /Nothing was said here since 31 Dec, 00:00/u,
      usual: true,
    },
    week: {
      given: { period: 'week' },
      typed: 'summarise week',
      promises: /Nothing was said here since 25 Dec/u,
    },
    'last-message': {
      given: { period: 'last-message' },
      typed: 'summarise last-message',
      promises: /Nothing was said here since 18 Dec/u,
    },
  },
  'usage of': {
    mine: { given: { of: 'mine' }, typed: 'usage mine', promises: /What you spent in 7 days/u, usual: true },
    channel: { given: { of: 'channel' }, typed: 'usage channel', promises: /channel/u },
    workspace: { given: { of: 'workspace' }, typed: 'usage workspace', promises: /workspace/u },
  },
  'usage days': { given: { days: 2 }, typed: 'usage 2', promises: /What you spent in 2 days/u },
  'usage csv': { given: { csv: true }, typed: 'usage yes', promises: /usage-[\d-]+\.csv/u },
  'usage who': {
    given: { who: PERSON },
    typed: 'usage @grace',
    promises: /^(?=.*"title":"Usage").*"by":"(?:U0GRACE000|42)"/u,
  },
  'video id': { given: { id: 'v-7' }, typed: 'video v-7', promises: /"title":"v-7"/u },
  'voice do': {
    on: { given: { do: 'on' }, typed: 'voice on', promises: /"channel":\{"values":\{"voice":"request"/u },
    auto: {
      given: { do: 'auto' },
      typed: 'voice auto',
      promises: /"channel":\{"values":\{"voice":"automatic"/u,
    },
    off: { given: { do: 'off' }, typed: 'voice off', promises: /"channel":\{"values":\{"voice":"off"/u },
    optout: { given: { do: 'optout' }, typed: 'voice optout', promises: /"voiceOptOut":true/u },
    optin: { given: { do: 'optin' }, typed: 'voice optin', promises: /"voiceOptOut":false/u },
    language: { given: { do: 'language' }, typed: 'voice language', promises: /"voiceLanguage":"auto"/u },
  },
  'voice language': {
    given: { language: 'fr' },
    typed: 'voice language fr',
    promises: /"voiceLanguage":"fr"/u,
  },
};
