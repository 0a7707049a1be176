/** For roles that write to X-Ray. */
export const X_RAY_ACKNOWLEDGEMENTS = [
  {
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: 'X-Ray has no resource-level permissions for writing traces.',
  },
];
