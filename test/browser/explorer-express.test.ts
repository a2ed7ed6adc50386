import express from 'express'
import { expressHost } from '../integrations/express/host.js'
import { explorerSuite } from './explorer/suite.js'

explorerSuite('Express', expressHost(express))
