import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { front, mention, press, ROOT, signed } from './slack.ts';

/** Installations of one app with identical ids of channels, people, bots and messages. */
const INSTALLED = {
  T1: { team_id: 'T1', enterprise_id: null, is_enterprise_install: false },
  T2: { team_id: 'T2', enterprise_id: null, is_enterprise_install: false },
  E1: { team_id: null, enterprise_id: 'E1', is_enterprise_install: true },
} as const;
type Workspace = keyof typeof INSTALLED;

const TS = '1700000000.000100';
const WHAT = ['mention', 'message', 'reply', 'edit', 'delete', 'stop', 'press'] as const;

const steps = fc.array(
  fc.record({
    workspace: fc.constantFrom<Workspace>('T1', 'T2', 'E1'),
    what: fc.constantFrom(...WHAT),
    /** In a shared channel an event may come from the other organization. */
    from: fc.constantFrom('T1', 'T2', 'T9'),
  }),
  { minLength: 1, maxLength: 30 },
);

test('interleaved events and clicks of several workspaces are recorded and queued for their own workspace', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), steps, async (scheduler, all) => {
      const turnOf = (name: string): Promise<void> => scheduler.schedule(Promise.resolve(), name);
      const { handle, effects, records, tasks, takePart } = front({ turnOf });
      await takePart(ROOT, 'T1');
      await scheduler.waitFor(
        Promise.all(all.map(({ workspace, what, from }) => handle(request(workspace, what, from)))),
      );
      const workspaces = new Set<string>(['T1', ...all.map(({ workspace }) => workspace)]);
      for (const record of records()) {
        const [, owner = ''] = record['pk']?.S?.split('#') ?? [];
        expect(workspaces).toContain(owner);
        // The text of a workspace is in its own records only; the record of a closed thread has none.
        expect([`of ${owner}`, 'asked before', undefined]).toContain(record['ask']?.S);
      }
      tasks().forEach((task, i) => {
        const { group, dedup, body } = effects.sent[i] ?? { group: '', dedup: '', body: '' };
        const owner = task?.thread.workspace ?? '';
        expect(group.startsWith(`slack#${owner}#`)).toBe(true);
        expect(dedup).toContain(`#slack#${owner}#`);
        const others = Object.keys(INSTALLED).filter((name) => name !== owner);
        expect(others.filter((name) => body.includes(`of ${name}`))).toEqual([]);
      });
      // The bot is only in T1's thread: a reply without a mention elsewhere is ignored.
      expect(tasks().filter((task) => task?.thread.root === ROOT && task.thread.workspace !== 'T1')).toEqual(
        [],
      );
    }),
    { numRuns: 150 },
  );
});

function request(workspace: Workspace, what: (typeof WHAT)[number], from: string) {
  const text = `of ${workspace}`;
  const authorizations = [{ ...INSTALLED[workspace], user_id: 'UBOT', is_bot: true }];
  const context = workspace === 'E1' ? {} : { context_team_id: workspace };
  const outer = { team_id: from, ...context, authorizations };
  const question = { user: 'U1', team: from, ts: TS, text: `<@UBOT> ${text}`, type: 'message' };
  const change = { type: 'message', hidden: true, ts: '1700000005.000200' };
  switch (what) {
    case 'mention':
      return signed(mention({ ...question, type: 'app_mention' }, outer));
    case 'message':
      return signed(mention(question, outer));
    case 'reply':
      return signed(mention({ ...question, ts: '1700000001.000100', thread_ts: ROOT, text }, outer));
    case 'edit': {
      const message = { ...question, edited: { ts: '1700000005.000000' } };
      const before = { ...question, text: '<@UBOT> before' };
      return signed(
        mention({ ...change, subtype: 'message_changed', message, previous_message: before }, outer),
      );
    }
    case 'delete':
      return signed(
        mention({ ...change, subtype: 'message_deleted', deleted_ts: TS, previous_message: question }, outer),
      );
    case 'stop':
      return signed(mention({ type: 'agent_session_stopped', thread_ts: TS }, outer));
    case 'press':
      return press({
        value: { t: TS, m: TS, kind: 'regenerate' },
        outer: {
          container: { thread_ts: TS },
          team: workspace === 'E1' ? null : { id: workspace },
          enterprise: workspace === 'E1' ? { id: 'E1' } : null,
          is_enterprise_install: workspace === 'E1',
        },
      });
  }
}
