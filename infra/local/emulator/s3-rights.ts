import * as z from 'zod/mini';
import type { Lookups } from '../template/resolve.ts';
import { resolve } from '../template/resolve.ts';
import type { Template } from '../template/template.ts';

/** Actions that are allowed on resources; a star in a resource stands for any characters. */
export type S3Right = { readonly actions: readonly string[]; readonly resources: readonly string[] };

/** By the logical id of a role. */
export type S3Rights = Readonly<Record<string, readonly S3Right[]>>;

const Texts = z.union([z.string(), z.array(z.string())]);
const Policy = z.object({
  Roles: z._default(z.array(z.object({ Ref: z.string() })), []),
  PolicyDocument: z.object({
    Statement: z.array(z.looseObject({ Action: z._default(Texts, []), Resource: z.unknown() })),
  }),
});
const Allowed = z.strictObject({
  Effect: z.literal('Allow'),
  Action: Texts,
  Resource: Texts,
  Sid: z.optional(z.string()),
});

/**
 * What the policies of the template allow each of these roles to do in S3. Throws for what is not evaluated here: a denial,
 * or a right with a condition.
 */
export function s3RightsOf(roles: readonly string[], { Resources }: Template, lookups: Lookups): S3Rights {
  const rights = new Map<string, S3Right[]>(roles.map((role) => [role, []]));
  for (const [id, { Type, Properties }] of Object.entries(Resources)) {
    if (Type !== 'AWS::IAM::Policy') continue;
    const { Roles, PolicyDocument } = Policy.parse(Properties);
    const statements = PolicyDocument.Statement.filter(({ Action }) =>
      [Action].flat().some((action) => action.startsWith('s3:')),
    );
    for (const { Ref } of Roles) {
      const held = rights.get(Ref);
      held?.push(...statements.map((statement) => rightIn(statement, lookups, id)));
    }
  }
  return Object.fromEntries(rights);
}

function rightIn(statement: unknown, lookups: Lookups, id: string): S3Right {
  const read = Allowed.safeParse(resolve(statement, lookups, id));
  if (read.success) return { actions: [read.data.Action].flat(), resources: [read.data.Resource].flat() };
  throw new Error(`The local S3 cannot evaluate the policy ${id}.\n${z.prettifyError(read.error)}`);
}

/** Whether the rights allow `action` on the resource of this ARN. */
export function mayDo(rights: readonly S3Right[], action: string, arn: string): boolean {
  return rights.some(
    ({ actions, resources }) => actions.includes(action) && resources.some((one) => covers(one, arn)),
  );
}

function covers(resource: string, arn: string): boolean {
  const parts = resource.split('*').map((part) => part.replaceAll(/[\^$.|?+()[\]{}/-]/gu, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`, 'su').test(arn);
}
