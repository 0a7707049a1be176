import type { Installs } from '../storage/index.ts';
import type { Log } from '../context/ports.ts';

type Install = Parameters<Installs['save']>[0];

export type InstallContext = {
  readonly installs: Pick<Installs, 'save'>;
  /** Whether this browser is the one that was sent to Slack, and not too long ago. */
  readonly isOurs: (state: string, kept: string) => boolean;
  /** Rejects when Slack does not grant it; the error's `code` says why. */
  readonly redeem: (code: string, redirectUri: string) => Promise<Install>;
  readonly log: Log;
};

export type OAuthReturn = {
  readonly code?: string | undefined;
  readonly state?: string | undefined;
  /** What Slack says when the person said no: `access_denied`. */
  readonly error?: string | undefined;
  /** The state as the browser kept it. */
  readonly kept?: string | undefined;
};

export type InstallOutcome =
  | { readonly kind: 'installed'; readonly name: string }
  /** Not the browser that began, or it took too long. */
  | { readonly kind: 'stale' }
  | { readonly kind: 'denied' }
  | { readonly kind: 'failed'; readonly code: string };

/** A browser comes back from Slack. Never rejects: what fails can be begun again. */
export async function completeInstall(
  back: OAuthReturn,
  redirectUri: string,
  context: InstallContext,
): Promise<InstallOutcome> {
  if (!back.state || !back.kept || !context.isOurs(back.state, back.kept)) return { kind: 'stale' };
  if (back.error !== undefined || !back.code) return { kind: 'denied' };
  try {
    const install = await context.redeem(back.code, redirectUri);
    await context.installs.save(install);
    context.log('slack.installed', { workspace: install.workspace });
    return { kind: 'installed', name: install.name };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'internal';
    context.log('slack.install-failed', { code });
    return { kind: 'failed', code };
  }
}
