import type { Row } from './option-row.ts';
import { createConfirmationCode } from '../../shared/storage/index.ts';
import { CODE_OF_SERVER, PERSON } from './option-harness.ts';

const ADD = ['tools', { do: 'add', what: 'https://mcp.wiki.example.com/mcp' }] as const;
const ADD_PERSONAL = ['tools', { ...ADD[1], with: 'person' }] as const;
const ON = ['tools', { do: 'on', what: 'wiki', for: 'channel' }] as const;

/** The rows of the command for MCP servers. */
export const TOOL_ROWS: Readonly<Record<string, Row | Readonly<Record<string, Row>>>> = {
  'tools do': {
    list: {
      options: { do: 'list' },
      before: [ADD],
      typed: 'tools list',
      promises: /mcp\.wiki\.example\.com/u,
      usual: true,
    },
    add: { options: ADD[1], typed: `tools add ${ADD[1].what}`, promises: /wiki.*find\W+off/u },
    use: {
      options: { do: 'use', what: 'wiki', with: 'all' },
      before: [ADD],
      promises: /find\W+reads only, runs at once/u,
    },
    on: { options: { do: 'on', what: 'wiki' }, before: [ADD], promises: /"tools":\["wiki"\]/u },
    off: { options: { do: 'off', what: 'wiki' }, before: [ADD, ON], promises: /"tools":\[\]/u },
    connect: {
      options: { do: 'connect', what: 'wiki' },
      before: [ADD_PERSONAL],
      promises: /login\.example\.com/u,
    },
    confirm: {
      options: { do: 'confirm', what: createConfirmationCode(CODE_OF_SERVER) },
      before: [ADD_PERSONAL],
      promises: /You are signed in at wiki/u,
    },
    log: { options: { do: 'log' }, typed: 'tools log', promises: /No tool was called yet/u },
    remove: { options: { do: 'remove', what: 'wiki' }, before: [ADD], promises: /wiki is removed/u },
  },
  'tools what': { options: { do: 'list', what: 'wiki' }, before: [ADD], promises: /find\W+off/u },
  'tools with': {
    options: { do: 'on', what: 'wiki', with: PERSON },
    before: [ADD],
    promises: /"tools":\["wiki@\w+"\]/u,
  },
  'tools name': { options: { ...ADD[1], name: 'docs' }, promises: /docs \(off here\)/u },
  'tools for': {
    channel: {
      options: { do: 'on', what: 'wiki', for: 'channel' },
      before: [ADD],
      promises: /"channel":\{"values":\{"tools":\["wiki"/u,
      usual: true,
    },
    workspace: {
      options: { do: 'on', what: 'wiki', for: 'workspace' },
      before: [ADD],
      promises: /"workspace":\{"values":\{"tools":\["wiki"/u,
    },
  },
};
