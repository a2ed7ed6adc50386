/** An app that cannot be loaded. */

throw new Error('no database')
