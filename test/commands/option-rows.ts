import { BUG, level, NO_THREAD, type Row } from './option-row.ts';
import { PERSON } from './option-harness.ts';
import { MEMORY_ROWS } from './option-rows-memory.ts';
import { INTEGRATION_ROWS } from './option-rows-integrations.ts';
import { SAVED_ROWS } from './option-rows-saved.ts';
import { SCHEDULE_ROWS } from './option-rows-schedule.ts';
import { KNOWLEDGE_ROWS } from './option-rows-knowledge.ts';
import { TOOL_ROWS } from './option-rows-tools.ts';

/** By command, option, and choice where it has such. A test holds that each one of the specs has a row. */
export const ROWS: Readonly<Record<string, Row | Readonly<Record<string, Row>>>> = {
  'animate image': {
    options: { image: '71', prompt: 'Waves.' },
    promises: /A video could be made of this.*about \$0\.35/u,
  },
  'animate prompt': { options: { prompt: 'list' }, typed: 'animate list', promises: /You have no videos/u },
  'ask question': {
    options: { question: 'What is a fjord?' },
    typed: 'ask What is a fjord?',
    promises: /question[^}]*What is a fjord\?/u,
  },
  'ask private': {
    options: { question: 'Why?', private: true },
    promises: /flags.*:64|An answer\.[^}]*\}\]\},"openly":false/u,
  },
  'ask model': { options: { question: 'Why?', model: 'big' }, promises: /model\W+big/u },
  'ask schema': {
    options: { question: 'Why?', schema: 'bug' },
    before: [BUG],
    promises: /"title":"bug".*Filled/u,
  },
  'ask attachment': {
    options: { question: 'Why?', attachment: '71' },
    promises: /files[^}]*cdn\.discordapp\.com/u,
  },
  'export what': {
    me: { options: { what: 'me' }, typed: 'export me', promises: /"kind":"export".*"person"/u, usual: true },
    thread: {
      options: { what: 'thread' },
      typed: 'export thread',
      promises: /"kind":"export".*"thread"/u,
      onSlack: NO_THREAD,
    },
  },
  'imagine prompt': {
    options: { prompt: 'A boat.' },
    typed: 'imagine A boat.',
    promises: /A picture could be made.*A boat\./su,
  },
  'imagine video': {
    options: { prompt: 'A boat.', video: true },
    typed: 'imagine A boat. video:yes',
    promises: /A video could be made.*A boat\./su,
  },
  'weekly do': {
    show: {
      options: { do: 'show' },
      typed: 'weekly show',
      promises: /Nobody gets this every week/u,
      usual: true,
    },
    on: { options: { do: 'on' }, typed: 'weekly on', promises: /The weekly summary is on/u },
    off: {
      options: { do: 'off' },
      before: [['weekly', { do: 'on' }]],
      typed: 'weekly off',
      promises: /The weekly summary is off/u,
    },
  },
  'weekly day': {
    monday: {
      options: { do: 'on', day: 'monday' },
      typed: 'weekly on monday',
      promises: /Monday, 09:00/u,
      usual: true,
    },
    tuesday: {
      options: { do: 'on', day: 'tuesday' },
      typed: 'weekly on tuesday',
      promises: /Tuesday, 09:00/u,
    },
    wednesday: {
      options: { do: 'on', day: 'wednesday' },
      typed: 'weekly on wednesday',
      promises: /Wednesday, 09:00/u,
    },
    thursday: {
      options: { do: 'on', day: 'thursday' },
      typed: 'weekly on thursday',
      promises: /Thursday, 09:00/u,
    },
    friday: { options: { do: 'on', day: 'friday' }, typed: 'weekly on friday', promises: /Friday, 09:00/u },
    saturday: {
      options: { do: 'on', day: 'saturday' },
      typed: 'weekly on saturday',
      promises: /Saturday, 09:00/u,
    },
    sunday: { options: { do: 'on', day: 'sunday' }, typed: 'weekly on sunday', promises: /Sunday, 09:00/u },
  },
  'weekly at': { options: { do: 'on', at: '16:30' }, promises: /Monday, 16:30/u },
  'weekly to': {
    me: { options: { do: 'on', to: 'me' }, promises: /"For","value":"<@/u, usual: true },
    channel: { options: { do: 'on', to: 'channel' }, promises: /"For","value":"<#/u },
  },
  'weekly zone': { options: { do: 'on', zone: 'Asia/Tokyo' }, promises: /09:00 \(Asia\/Tokyo\)/u },
  'feedback weeks': { options: { weeks: 1 }, typed: 'feedback 1', promises: /👍 0 · 👎 1/u },
  'feedback rating': {
    good: { options: { rating: 'good' }, typed: 'feedback good', promises: /👍 1 · 👎 0/u },
    bad: { options: { rating: 'bad' }, typed: 'feedback bad', promises: /👍 0 · 👎 1/u },
  },
  'feedback model': { options: { model: 'big' }, promises: /👍 1 · 👎 0/u },
  'feedback here': { options: { here: true }, promises: /👍 0 · 👎 1/u },
  'feedback csv': { options: { csv: true }, promises: /feedback-[\d-]+\.csv/u },
  'forget what': {
    me: { options: { what: 'me' }, typed: 'forget me', promises: /forget\.me/u },
    thread: {
      options: { what: 'thread' },
      typed: 'forget thread',
      promises: /forget\.thread/u,
      onSlack: NO_THREAD,
    },
    message: {
      options: { what: 'message' },
      typed: 'forget message',
      promises: /forget\.message/u,
      onSlack: NO_THREAD,
    },
  },
  'help command': {
    options: { command: 'model' },
    typed: 'help model',
    promises: /See and choose the model/u,
  },
  'model model': {
    options: { model: 'big' },
    typed: 'model big',
    promises: /"person":\{"values":\{"model":"big"/u,
  },
  'model for': level({ model: 'big' }, 'big'),
  'model takes': Object.fromEntries(
    ['image', 'audio', 'video', 'tools', 'reasoning'].map((takes) => [
      takes,
      { options: { takes }, promises: /"markdown":"- `big`[^"]*"/u },
    ]),
  ),
  'model below': { options: { below: 0.5 }, promises: /"markdown":"- `usual`[^"\n`]*"/u },
  ...SAVED_ROWS,
  ...MEMORY_ROWS,
  ...SCHEDULE_ROWS,
  ...KNOWLEDGE_ROWS,
  ...TOOL_ROWS,
  ...INTEGRATION_ROWS,
  'summarise period': {
    yesterday: {
      options: { period: 'yesterday' },
      typed: 'summarise yesterday',
      promises: /Nothing was said here since 31 Dec, 00:00/u,
      usual: true,
    },
    week: {
      options: { period: 'week' },
      typed: 'summarise week',
      promises: /Nothing was said here since 25 Dec/u,
    },
    'last-message': {
      options: { period: 'last-message' },
      typed: 'summarise last-message',
      promises: /Nothing was said here since 18 Dec/u,
    },
  },
  'usage of': {
    mine: {
      options: { of: 'mine' },
      typed: 'usage mine',
      promises: /What you spent in 7 days/u,
      usual: true,
    },
    channel: { options: { of: 'channel' }, typed: 'usage channel', promises: /channel/u },
    workspace: { options: { of: 'workspace' }, typed: 'usage workspace', promises: /workspace/u },
  },
  'usage days': { options: { days: 2 }, typed: 'usage 2', promises: /What you spent in 2 days/u },
  'usage csv': { options: { csv: true }, typed: 'usage yes', promises: /usage-[\d-]+\.csv/u },
  'usage who': {
    options: { who: PERSON },
    typed: 'usage @grace',
    promises: /^(?=.*"title":"Usage").*"by":"(?:U0GRACE000|42)"/u,
  },
  'video id': { options: { id: 'v-7' }, typed: 'video v-7', promises: /"title":"v-7"/u },
  'voice do': {
    transcribe: {
      options: { do: 'transcribe' },
      typed: 'voice transcribe',
      promises: /"recordings":\[\{"kind":"show"\}\]/u,
    },
    translate: {
      options: { do: 'translate' },
      typed: 'voice translate',
      promises: /"recordings":\[\{"kind":"show","to":"en"\}\]/u,
    },
    speak: {
      options: { do: 'speak' },
      typed: 'voice speak',
      promises: /"kind":"show","to":"en"\},\{"kind":"translate","to":"en","speak":true/u,
    },
    on: { options: { do: 'on' }, typed: 'voice on', promises: /"channel":\{"values":\{"voice":"request"/u },
    auto: {
      options: { do: 'auto' },
      typed: 'voice auto',
      promises: /"channel":\{"values":\{"voice":"automatic"/u,
    },
    off: { options: { do: 'off' }, typed: 'voice off', promises: /"channel":\{"values":\{"voice":"off"/u },
    optout: { options: { do: 'optout' }, typed: 'voice optout', promises: /"voiceOptOut":true/u },
    optin: { options: { do: 'optin' }, typed: 'voice optin', promises: /"voiceOptOut":false/u },
    language: { options: { do: 'language' }, typed: 'voice language', promises: /"voiceLanguage":"auto"/u },
  },
  'voice language': {
    options: { language: 'fr' },
    typed: 'voice language fr',
    promises: /"voiceLanguage":"fr"/u,
  },
};
