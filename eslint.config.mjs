import tseslint from 'typescript-eslint';

/** Only what needs types: Biome does the rest, faster. */
export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', 'coverage/', '**/*.mjs', '**/*.cjs', '**/*.js'] },
  ...tseslint.configs.strictTypeCheckedOnly,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      // Declarations hold values of many types, and `T` keeps them apart.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // What comes from outside is `unknown` until it is looked at; text is what it becomes in a message.
      '@typescript-eslint/no-base-to-string': 'off',
      // Ports are objects of functions; none of them has a `this`.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: ['lib/**', 'commands/**', 'context/**', 'fixtures/**'],
    rules: {
      // A call takes some hundred thousand arguments, and a page may have a million records.
      'no-restricted-syntax': [
        'error',
        ...['push', 'unshift', 'concat', 'splice', 'max', 'min', 'fromCharCode', 'fromCodePoint', 'of', 'apply'].map(
          (name) => ({
            selector: `CallExpression[callee.property.name='${name}'] > SpreadElement.arguments`,
            message: 'Data is not spread into arguments: the stack takes only so many. Use a loop or reduce.',
          }),
        ),
      ],
    },
  },
  {
    // It stands in for the engine's own Promise, whose types know `any`; and the platform shows a thrown text as it is.
    files: ['lib/hosts/platform/promise.ts', 'lib/hosts/platform/connection-test.ts'],
    rules: {
      '@typescript-eslint/no-misused-promises': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/only-throw-error': 'off',
    },
  },
  {
    files: ['tests/**'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/restrict-template-expressions': 'off',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
    },
  },
);
