# Brazilian Portuguese: the text of briefs. A line that begins with four spaces continues the one before.

## Lists, and what is not known
list-comma = {", "}
list-and = { $first } e { $last }
date-unknown = data desconhecida

## Sections
appendix = Apêndice { $letter }. { $title }
section-summary = Resumo
section-results = Resultados
section-tpcc = TPC-C
section-limit = Carga em um limite de latência
section-equal-latency = Carga com latência igual
section-fairness = Diferenças nas condições de teste
section-findings = Todas as afirmações
section-differences = Todas as diferenças
section-figures = Outras figuras
section-energy = Potência e energia
section-limits = Gargalo
section-drives = Por drive e por instância
section-preparation = Preparação
section-conclusion = Conclusão
section-marks = Ressalvas
section-method = Como foi medido: definições e fórmulas
section-data = Dados completos
section-server = Servidor
section-disclosure = Divulgação completa

## Columns of tables
column-step = etapa
column-figure = métrica
column-pair = par
column-comparisons = comparações
column-first-better = primeiro melhor
column-second-better = segundo melhor
column-not-distinguishable = não distinguíveis
column-not-ranked = sem classificação

## Conclusion
conclusion-how = Como terminou cada comparação:
conclusion-limits =
    Todo intervalo é o da dispersão entre repetições neste host e nestes drives. Os resultados valem
    para estes drives, com este firmware, neste host e software, sob estas cargas; a seção Divulgação
    completa os lista. Um drive de um modelo não representa todos do seu tipo.

## Figures of power
power-of = potência de { $class }
ops-per-watt-of = ops/s por watt de { $class }
ops-per-watt = ops/s por watt
power-against-throughput = potência de { $class } em função da vazão, por { $axis }
power-over-time = potência sob a vazão{ $at }
power-and-temperature-over-time = potência e temperatura sob a vazão{ $at }

## Bottlenecks, their evidence, and what to change (src/stats)
limit-drive = drive
limit-cpu = CPU do host
limit-memory = memória
limit-no-drive = nenhum drive (tmpfs)
limit-neighbour = outra carga
limit-generator = gerador
limit-standstill = parada
limit-rate = taxa solicitada
limit-thermal = limitação térmica
limit-locks = locks
limit-undecided = indefinido
verdict-clauses = { $first }; { $second }
verdict-processors-busy = processadores { $busy } ocupados
verdict-processors-others = processadores { $busy } ocupados, { $others } com outros processos
verdict-few-at-device = apenas { $share } das requisições da carga estavam no dispositivo
verdict-hypervisor = o hipervisor cedeu { $stolen } a outros
remedy-own-machine = uma máquina dedicada, ou processadores virtuais que ninguém compartilha
remedy-end-others = encerrar o que mais é executado neste host e medir de novo
verdict-stood-still = o próprio Dyno ficou parado por { $still } de { $window }
remedy-stood-still =
    medir de novo onde nada pare o Dyno: sem suspensão, sem depurador, sem máquina virtual com recursos
    sobrealocados
verdict-tmpfs = a pasta do alvo está na memória (tmpfs): não há drive sob ela
remedy-tmpfs = indicar uma pasta no sistema de arquivos do drive, ou o próprio dispositivo
verdict-from-memory = pelo menos { $share } das leituras foram atendidas pela memória
verdict-left-in-memory =
    { $share } dos bytes escritos não haviam chegado ao dispositivo no final
remedy-longer-window = uma janela tão longa que a memória esteja cheia antes que ela comece
remedy-direct-or-longer-window =
    `direct = true`, ou uma janela tão longa que a memória esteja cheia antes que ela comece
remedy-dataset-beyond-memory = um conjunto de dados maior que a memória
remedy-dataset-of = um conjunto de dados de { $size }
remedy-direct-or = `direct = true`, ou { $other }
remedy-smaller-cache = um cache menor do próprio mecanismo, ou um conjunto de dados maior
remedy-dataset-fits =
    o conjunto de dados, { $dataset }, cabe em { $memory } de memória: { $how }
verdict-neighbour =
    { $share } do tempo do dispositivo foi gasto com requisições de outros, que leram { $read } e escreveram
    { $written }
remedy-neighbour =
    encerrar o que mais usa o drive (`iotop -o` mostra o quê), ou medir um drive que nada mais use
verdict-late = pelo menos { $share } das operações foram entregues com atraso pelo próprio Dyno
verdict-late-p99 =
    pelo menos { $share } das operações foram entregues com atraso pelo próprio Dyno, e o p99 do tempo
    de resposta é { $ratio } vezes o do tempo de serviço
remedy-late = mais workers para a taxa, uma taxa menor, ou processadores que nada mais use
verdict-rate-reached = { $share } da taxa solicitada foi atingida
verdict-throttled = o drive limitou a si mesmo durante { $share } da janela
verdict-thinks =
    { $share } de suas requisições estavam em andamento; entre elas há tempos de digitação e de reflexão
verdict-too-few-made =
    apenas { $share } das requisições que pode ter em andamento estavam: o Dyno não gera mais
remedy-too-few-made = mais threads com menos profundidade cada, ou requisições maiores
verdict-no-device = nenhum dispositivo visto
verdict-at-device =
    as requisições da própria carga estavam no dispositivo durante { $window } da janela, { $requests }
    das que pode ter em andamento
verdict-at-device-flushing =
    as requisições da própria carga estavam no dispositivo durante { $window } da janela, em flushes
    durante { $flushing } dela, { $requests } das que pode ter em andamento
verdict-processors-unknown = tempo de processador desconhecido
verdict-one-core = um worker, e seu núcleo { $busy } ocupado
verdict-computed = os workers calcularam durante { $share } do tempo
verdict-own = { $evidence }, { $own } com a própria carga
verdict-own-and-servers =
    { $evidence }, { $own } com a própria carga, { $servers } com seus servidores de banco de dados
remedy-server-processors =
    mais processadores para o servidor, ou um conjunto de dados que não caiba no cache dele, para que
    o drive seja mais exigido
remedy-processors =
    mais processadores ou mais rápidos, ou uma carga que calcule menos por byte: requisições maiores,
    sem compressão
verdict-others-waited = seus outros workers esperavam por essas
verdict-locks =
    os workers estavam fora do processador { $off } do tempo, e alguma de suas requisições no dispositivo
    apenas { $window } dele
remedy-locks =
    menos threads, ou vários conjuntos de dados ao mesmo tempo (`instances`), para que nenhuma espere
verdict-in-repeats = { $evidence } (em { $count } de { $repeats } repetições; { $others })
verdict-limit-in = { $limit } em { $count }
verdict-limits = { $first }, { $other }

## Differences in test conditions (src/analysis)
difference-fact = { $heading }: { $fact }
difference-setting = { $path }
difference-method = versão do método de medição
difference-preparation = Preparação
difference-temperature = Temperatura no início, { $step }
difference-own-runs = Medidos em execuções separadas
difference-one-after-other = Medidos um alvo após o outro
difference-unequally = o que mudou com o tempo os afetou de forma desigual
difference-nothing-done = nada
value-of = { $value } ({ $subjects })
values-and = { $first }, { $other }
on-this-host = Neste host: { $summary }
difference-times = { $times }

## Axes of steps (src/analysis)
axis-threads = threads
axis-depth = profundidade de fila
axis-asked-ops = ops/s solicitadas
axis-asked-rate = taxa solicitada
axis-load = carga
axis-block = bloco
axis-instances = instâncias
axis-rates = múltiplo das taxas
maximum = máximo
mean = média

## Figures (src/chart)
figure-nothing-measured = nada foi medido aqui
figure-seconds = segundos
figure-round = rodada
figure-share-no-longer = parcela das operações que não demoraram mais que isso
figure-convergence = Convergência para o estado estacionário
figure-convergence-in-rounds =
    { $metric } em rodadas de { $round }; últimas rodadas com sua reta de ajuste e média ± { $band }
figure-drive-of = { $subject }, drive { $drive }
hollow-points = { $caption } (vazado: a taxa solicitada não foi atingida por mais de 2 %)
hover-missed-its-rate = { $point }, não atingiu sua taxa
hover-interval = { $value } (95 %: { $low } a { $high })
hover-not-limited = { $bar }: não limitado pelo drive
caption-of-step = { $step }: { $caption }
caption-marked = { $caption } ({ $mark } não limitado pelo drive)
caption-outlined = { $caption } (contorno: não limitado pelo drive)
figure-queue-depth = profundidade de fila
figure-service-time = { $figure } do tempo de serviço de { $class }
figure-response-time = { $figure } do tempo de resposta de { $class }
figure-service-time-by-percentile = tempo de serviço de { $class } por percentil{ $at }
figure-response-time-by-percentile = tempo de resposta de { $class } por percentil{ $at }
figure-against-throughput = { $what } em função da vazão, por { $axis }
figure-overload = {"; "}a sobrecarga além do eixo foi omitida
figure-at = {" "}com { $axis } { $value }
figure-throughput = vazão
figure-ops-over-time = ops/s ao longo do tempo{ $at }
figure-of-each-drive = { $figure } de cada drive{ $at }
figure-drive = drive { $number }
figure-of-instances = p99 de todas as instâncias juntas, e a média dos p99 de cada uma{ $at }
figure-pooled = em conjunto
figure-mean-of-instances = média dos p99 das instâncias
figure-by-neighbour = latência por carga vizinha{ $at }
figure-of-neighbour = { $name }: { $figure }
figures-lead = O valor principal de cada etapa
figures-megabytes = MB/s das cargas, cada uma em seu máximo, na mesma escala
figures-part = { $caption } ({ $number } de { $count })
verdict-near-ceiling = { $share } do que o Dyno gera aqui com este formato de carga
remedy-near-ceiling =
    mais threads onde houver processadores livres, requisições maiores, ou um host mais rápido
verdict-ceiling = teto do gerador { $ops } ops/s
