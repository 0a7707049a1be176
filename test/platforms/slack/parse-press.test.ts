import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { parseControl } from '../../../shared/platforms/slack/inbound/interactions.ts';
import { parseButtonAction } from '../../../shared/platforms/slack/inbound/block-actions.ts';

const ROOT = '1690000000.000100';
const TS = '1690000000.000200';
const AT = '1690000009.000300';

const button = (value: unknown, id = 'parley:stop', change: object = {}) => ({
  type: 'button',
  action_id: id,
  action_ts: AT,
  value: typeof value === 'string' ? value : JSON.stringify(value),
  ...change,
});
const VALUE = { t: ROOT, m: TS, kind: 'stop' };

const body = (change: object = {}) => ({
  type: 'block_actions',
  user: { id: 'U1', team_id: 'T1' },
  team: { id: 'T1', domain: 'example' },
  enterprise: null,
  is_enterprise_install: false,
  channel: { id: 'C1', name: 'general' },
  container: { type: 'message', message_ts: TS, channel_id: 'C1', is_ephemeral: false, thread_ts: ROOT },
  message: { ts: TS, thread_ts: ROOT },
  actions: [button(VALUE)],
  ...change,
});

const chatEvent = {
  kind: 'button-clicked',
  thread: { platform: 'slack', workspace: 'T1', channel: 'C1', root: ROOT },
  message: TS,
  by: 'U1',
  action: { kind: 'stop' },
  at: AT,
};

describe('a click on a button of the bot', () => {
  test.each([
    ['parley:stop', { kind: 'stop' }],
    ['parley:regenerate', { kind: 'regenerate' }],
    ['parley:regenerate:2', { kind: 'regenerate', model: 'large/one' }],
    ['parley:continue', { kind: 'continue' }],
  ])('%s is parsed with its action, place and answer', (id, action) => {
    const actions = [button({ t: ROOT, m: TS, ...action }, id)];
    expect(parseButtonAction(body({ actions }))).toEqual({
      kind: 'chatEvent',
      chatEvent: { ...chatEvent, action },
    });
  });

  test.each([
    [true, 'good'],
    [false, 'bad'],
  ])('on a rating (good: %s) is an interaction that gets a response', (good, opinion) => {
    const thumb = button({ t: ROOT, m: TS, kind: 'feedback', good }, 'parley:feedback', {
      type: 'feedback_buttons',
    });
    const pressed = {
      ...body({ actions: [thumb] }),
      trigger_id: '1.2.x',
      response_url: 'https://hooks.example/x',
    };
    expect(parseButtonAction(pressed)).toEqual({ kind: 'drop', reason: 'not-ours' });
    expect(parseControl(pressed, 0)?.interaction).toMatchObject({
      channel: 'C1',
      thread: { root: ROOT },
      by: { user: 'U1' },
      responseToken: 'https://hooks.example/x',
      payload: { kind: 'action', action: { name: 'feedback.rate', args: [ROOT, TS, opinion] } },
    });
    const moved = { ...pressed, container: { type: 'message', message_ts: TS, thread_ts: '1.1' } };
    expect(parseControl(moved, 0)).toBeUndefined();
  });

  test.each([
    ['in a workspace', {}, 'T1'],
    ['in a workspace of an enterprise', { enterprise: { id: 'E1', name: 'Org' } }, 'T1'],
    [
      'installed org-wide',
      { team: null, enterprise: { id: 'E1', name: 'Org' }, is_enterprise_install: true },
      'E1',
    ],
    ['installed org-wide, as a word', { enterprise: { id: 'E1' }, is_enterprise_install: 'true' }, 'E1'],
    ['not org-wide, as a word', { enterprise: { id: 'E1' }, is_enterprise_install: 'false' }, 'T1'],
    ['by somebody of another company', { user: { id: 'U1', team_id: 'T9' } }, 'T1'],
  ])('%s', (_, change, workspace) => {
    expect(parseButtonAction(body(change))).toMatchObject({ chatEvent: { thread: { workspace } } });
  });

  test('below an ephemeral message has no message to compare with', () => {
    expect(parseButtonAction(body({ message: undefined, container: { is_ephemeral: true } }))).toEqual({
      kind: 'chatEvent',
      chatEvent,
    });
  });
});

describe('an invalid click is ignored:', () => {
  test.each<[string, object]>([
    ['without a user', { user: null }],
    ['without a channel', { channel: null }],
    ['without a workspace', { team: null }],
    ['without actions', { actions: [] }],
    ['with malformed actions', { actions: 'x' }],
    ['on a button of another app', { actions: [button(VALUE, 'other:stop')] }],
    [
      'of an unknown kind, as from a later version',
      { actions: [button({ ...VALUE, kind: 'x' }, 'parley:x')] },
    ],
    ['of a kind that contradicts the value', { actions: [button(VALUE, 'parley:continue')] }],
    ['with a value that is not JSON', { actions: [button('{')] }],
    ['without a value', { actions: [button(VALUE, 'parley:stop', { value: undefined })] }],
    ['with an extra field', { actions: [button({ ...VALUE, extra: 1 })] }],
    ['with an id that contains a key separator', { actions: [button({ ...VALUE, m: 'a#b' })] }],
    ['with an id that is too long for a key', { actions: [button({ ...VALUE, m: '1'.repeat(15) + '.1' })] }],
    ['with a malformed timestamp', { actions: [button(VALUE, 'parley:stop', { action_ts: 'x' })] }],
    ['with a value that is too long', { actions: [button(JSON.stringify(VALUE) + ' '.repeat(2_000))] }],
    ['with another thread than the message', { message: { ts: TS, thread_ts: AT } }],
    ['with another thread than the container', { container: { thread_ts: AT } }],
  ])('%s', (_, change) => {
    expect(parseButtonAction(body(change))).toEqual({ kind: 'drop', reason: 'not-ours' });
  });

  test('any payload, without throwing', () => {
    const part = fc.oneof(fc.anything(), fc.constantFrom<unknown>({ id: 'x' }, [{}], [button(VALUE)], null));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...Object.keys(body())), part), (change) => {
        const parsed = parseButtonAction(body(change));
        const wanted =
          parsed.kind === 'chatEvent'
            ? { chatEvent: { kind: 'button-clicked', action: { kind: 'stop' } } }
            : { kind: 'drop', reason: 'not-ours' };
        expect(parsed).toMatchObject(wanted);
      }),
      { numRuns: 500 },
    );
  });
});
