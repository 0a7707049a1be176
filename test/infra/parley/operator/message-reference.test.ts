import { describe, expect, test } from '@jest/globals';
import { parseMessageReference } from '../../../../infra/parley/operator/message-reference.ts';

describe('a reference to a message', () => {
  test.each([
    [
      'https://acme.slack.com/archives/C0123456789/p1700000000000100',
      { platform: 'slack', channel: 'C0123456789', message: '1700000000.000100' },
    ],
    [
      '<https://acme.enterprise.slack.com/archives/D01/p1700000009000200?thread_ts=1700000000.000100&cid=D01>',
      { channel: 'D01', message: '1700000009.000200', root: '1700000000.000100' },
    ],
    [
      'https://discord.com/channels/201000000000000001/301000000000000001/401000000000000001',
      { platform: 'discord', workspace: '201000000000000001', message: '401000000000000001' },
    ],
    ['https://ptb.discord.com/channels/@me/301000000000000001/401000000000000001', { workspace: '@me' }],
    ['1700000000.000100', { platform: 'slack', message: '1700000000.000100' }],
    [' 401000000000000001 ', { platform: 'discord', message: '401000000000000001' }],
    ['1-5759e988-bd862e3fe1be46a994272793', { trace: '1-5759e988-bd862e3fe1be46a994272793' }],
  ])('%s is understood', (input, expected) => {
    expect(parseMessageReference(input)).toMatchObject(expected);
  });

  test.each([
    'https://example.com/channels/201000000000000001/301000000000000001/401000000000000001',
    'https://acme.slack.com/archives/C0123456789',
    'javascript:/archives/C0123456789/p1700000000000100',
    '17',
    'hello',
    '',
  ])('%s is refused', (input) => {
    expect(parseMessageReference(input)).toBeUndefined();
  });
});
