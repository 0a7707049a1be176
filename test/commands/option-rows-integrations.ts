import type { Row } from './option-row.ts';

const ADD = ['integrations', { do: 'add', name: 'deploy-bot' }] as const;
const HOOK = { do: 'webhook', name: 'deploy-bot', url: 'https://hooks.example.com/in' } as const;
/** A channel of the simulated guild. The journey of the API names one of Slack. */
const CHANNEL = '<#31>';

/** The rows of the command for programs that use the API. */
export const INTEGRATION_ROWS: Readonly<Record<string, Row | Readonly<Record<string, Row>>>> = {
  'integrations do': {
    list: {
      options: { do: 'list' },
      before: [ADD],
      typed: 'integrations list',
      promises: /deploy-bot: its own conversations only/u,
      usual: true,
    },
    add: {
      options: ADD[1],
      typed: 'integrations add deploy-bot',
      promises: /parley_[sd]_\w+_[0-9a-f]{16}_[0-9a-f]{48}.*POST https:\/\/api\.example\.com\/v1\/ask/u,
    },
    change: {
      options: { do: 'change', name: 'deploy-bot', budget: '$5/day' },
      before: [ADD],
      promises: /"of":"api_\w+","period":"day","atto":"5\d+"/u,
    },
    rotate: { options: { do: 'rotate', name: 'deploy-bot' }, before: [ADD], promises: /another 24 hours/u },
    webhook: {
      options: { do: 'webhook', name: 'deploy-bot', url: 'https://hooks.example.com/in' },
      before: [ADD],
      promises: /whsec_[\w+/]{43}=/u,
    },
    remove: {
      options: { do: 'remove', name: 'deploy-bot' },
      before: [['integrations', { ...ADD[1], budget: '$5/day' }]],
      promises: /deploy-bot is removed.*"rules":\[\].*"kind":"erase"/u,
    },
  },
  'integrations name': { options: { do: 'add', name: 'status page' }, promises: /The key of status page/u },
  'integrations channels': {
    options: { do: 'change', name: 'deploy-bot', channels: CHANNEL },
    before: [ADD],
    promises: /deploy-bot: <#31>/u,
    onSlack: /I cannot find/u,
  },
  'integrations url': {
    options: { do: 'webhook', name: 'deploy-bot', url: 'none' },
    before: [ADD],
    promises: /deploy-bot has no webhook now/u,
  },
  'integrations events': {
    all: { options: { ...HOOK, events: 'all' }, before: [ADD], promises: /whsec_/u, usual: true },
    answers: {
      options: { ...HOOK, events: 'answers' },
      before: [ADD],
      promises: /answer\.completed`, `answer\.failed`"/u,
    },
    feedback: {
      options: { ...HOOK, events: 'feedback' },
      before: [ADD],
      promises: /in`: `feedback\.given`/u,
    },
    channels: {
      options: { ...HOOK, events: 'channels' },
      before: [ADD],
      promises: /public channels of deploy-bot/u,
    },
  },
  'integrations budget': {
    options: { ...ADD[1], budget: '200/week' },
    promises: /"of":"api_\w+","period":"week","requests":200/u,
  },
};
