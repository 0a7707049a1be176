import * as v from 'valibot';
import type { Identity } from './identity.ts';

/** "Apps can have at most five of each": docs.slack.dev/interactivity/implementing-shortcuts. The schema alone allows ten in all. */
const MAX_SHORTCUTS = 5;

const shortcut = v.object({
  name: v.pipe(v.string(), v.minLength(1), v.maxLength(24)),
  type: v.picklist(['global', 'message']),
  callback_id: v.pipe(v.string(), v.minLength(1), v.maxLength(255)),
  description: v.pipe(v.string(), v.minLength(1), v.maxLength(150)),
});

const ofType = (type: 'global' | 'message') =>
  v.check(
    (all: v.InferOutput<typeof shortcut>[]) => all.filter((one) => one.type === type).length <= MAX_SHORTCUTS,
    `at most ${MAX_SHORTCUTS} shortcuts of the type ${type}`,
  );

const manifest = v.object({
  features: v.object({
    slash_commands: v.optional(v.array(v.object({ command: v.string() })), []),
    shortcuts: v.optional(
      v.pipe(v.array(shortcut), v.minLength(1), v.maxLength(10), ofType('global'), ofType('message')),
    ),
  }),
});

/** Slack rejects a manifest. Each of `errors` has the path and the reason, as in `apps.manifest.validate`. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
  readonly errors: readonly { readonly message: string; readonly pointer: string }[];
  constructor(errors: ManifestError['errors']) {
    super(`invalid_manifest: ${errors.map(({ pointer, message }) => `${pointer} ${message}`).join('; ')}`);
    this.errors = errors;
  }
}

/** The app of a manifest, in the workspace where it is created. Throws ManifestError. */
export function appOf(json: unknown): Required<Pick<Identity, 'commands' | 'shortcuts'>> {
  const read = v.safeParse(manifest, json);
  if (read.success) {
    const { slash_commands: commands, shortcuts = [] } = read.output.features;
    return {
      commands: commands.map(({ command }) => command),
      shortcuts: shortcuts.filter(({ type }) => type === 'message'),
    };
  }
  throw new ManifestError(
    read.issues.map((issue) => ({
      message: issue.message,
      pointer: `/${v.getDotPath(issue)?.replaceAll('.', '/') ?? ''}`,
    })),
  );
}
