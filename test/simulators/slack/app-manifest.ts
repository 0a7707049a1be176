import * as z from 'zod/mini';
import type { Identity } from './identity.ts';

/** "Apps can have at most five of each": docs.slack.dev/interactivity/implementing-shortcuts. The schema alone allows ten in all. */
const MAX_SHORTCUTS = 5;

const shortcut = z.object({
  name: z.string().check(z.minLength(1), z.maxLength(24)),
  type: z.enum(['global', 'message']),
  callback_id: z.string().check(z.minLength(1), z.maxLength(255)),
  description: z.string().check(z.minLength(1), z.maxLength(150)),
});

const ofType = (type: 'global' | 'message') =>
  z.refine<z.infer<typeof shortcut>[]>(
    (all) => all.filter((one) => one.type === type).length <= MAX_SHORTCUTS,
    {
      error: `at most ${MAX_SHORTCUTS} shortcuts of the type ${type}`,
    },
  );

const manifest = z.object({
  features: z.object({
    shortcuts: z.optional(
      z.array(shortcut).check(z.minLength(1), z.maxLength(10), ofType('global'), ofType('message')),
    ),
  }),
});

/** Slack does not take a manifest. Each of `errors` says where, and what is wrong, as `apps.manifest.validate` does. */
export class ManifestRefused extends Error {
  override readonly name = 'ManifestRefused';
  readonly errors: readonly { readonly message: string; readonly pointer: string }[];
  constructor(errors: ManifestRefused['errors']) {
    super(`invalid_manifest: ${errors.map(({ pointer, message }) => `${pointer} ${message}`).join('; ')}`);
    this.errors = errors;
  }
}

/** What an app is by its manifest, in the workspace that it is created in. Throws ManifestRefused. */
export function appOf(json: unknown): Required<Pick<Identity, 'shortcuts'>> {
  const read = manifest.safeParse(json);
  if (read.success) {
    const shortcuts = read.data.features.shortcuts ?? [];
    return { shortcuts: shortcuts.filter(({ type }) => type === 'message') };
  }
  throw new ManifestRefused(
    read.error.issues.map(({ message, path }) => ({ message, pointer: `/${path.map(String).join('/')}` })),
  );
}
